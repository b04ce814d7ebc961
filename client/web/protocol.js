/**
 * What is declared in Python and known here too: made by `make protocol`, never changed by hand.
 */

/** Messages in text frames. */
export const SUBPROTOCOL = "samedeal.v1.json";

/** Why a connection was closed, by the codes after which a client does not come back by itself. */
export const CLOSE = {
  "1000": "LEFT",
  "4400": "BAD_MESSAGE",
  "4401": "BAD_TOKEN",
  "4402": "NO_HELLO",
  "4403": "WRONG_WORD",
  "4404": "NO_ROOM",
  "4409": "TAKEN_OVER",
  "4410": "ROOM_CLOSED",
  "4411": "FORGOTTEN",
  "4422": "BAD_NAME",
  "4423": "ROOM_LOCKED",
  "4424": "KICKED",
  "4425": "TWIN_NAME",
  "4426": "ROOM_FULL",
  "4429": "TOO_FAST",
  "4430": "TOO_MANY_ROOMS",
};

/** The text of each pile: columns, cells, the foundations. */
export const PILES = "1234567890abcdh";

/** The options that are not told, since they are the usual ones. */
export const OPTIONS = {"game":"simple-simon","suits":null,"code":null,"deals":"pool","mixed":false,"goal":"time","limit_ms":900000,"seats":8,"undo":true,"restart":true,"hint":false,"public":false,"view":"after"};

/** What is drawn of each game, and asked for. `top` is the progress of whoever has won; so many cards as `leaves` go home at once. */
export const GAMES = {
  "simple-simon": {"prefix":"SS","suits":[1,2,4],"foundations":false,"leaves":13,"hints":false,"top":48},
  "freecell": {"prefix":"FC","suits":[4],"foundations":true,"leaves":1,"hints":true,"top":52},
};
