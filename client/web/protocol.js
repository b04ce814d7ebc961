/**
 * What is declared in Python and known here too: made by `make protocol`, never changed by hand.
 */

/** Messages in text frames. */
export const SUBPROTOCOL = "samedeal.v1.json";

/** Why a connection was closed, by its code, and whether a client comes back by itself; others are as 1006. */
export const CLOSE = {
  "1000": {"name":"LEFT"},
  "1006": {"name":"CLOSED","reconnects":true},
  "1012": {"name":"CLOSED","reconnects":true},
  "1013": {"name":"BUSY","reconnects":true},
  "4400": {"name":"BAD_MESSAGE"},
  "4401": {"name":"BAD_TOKEN"},
  "4402": {"name":"NO_HELLO"},
  "4403": {"name":"WRONG_WORD"},
  "4404": {"name":"NO_ROOM"},
  "4409": {"name":"TAKEN_OVER"},
  "4410": {"name":"ROOM_CLOSED"},
  "4411": {"name":"FORGOTTEN"},
  "4422": {"name":"BAD_NAME"},
  "4423": {"name":"ROOM_LOCKED"},
  "4424": {"name":"KICKED"},
  "4425": {"name":"TWIN_NAME"},
  "4426": {"name":"ROOM_FULL"},
  "4429": {"name":"TOO_FAST"},
  "4430": {"name":"TOO_MANY_ROOMS"},
};

/** The text of each pile: columns, cells, the foundations. */
export const PILES = "1234567890abcdh";

/** The options that are not told, since they are the usual ones. */
export const OPTIONS = {"game":"simple-simon","suits":null,"code":null,"deals":"pool","mixed":false,"goal":"time","limit_ms":900000,"seats":8,"undo":true,"restart":true,"hint":false,"public":false,"view":"after"};

/** A `time` race ends so long after the first solver, or as long as they took. */
export const FINISH_WINDOW_MS = 120000;

/** What is drawn of each game, and asked for. `top` is the progress of whoever has won; so many cards as `leaves` go home at once. */
export const GAMES = {
  "simple-simon": {"prefix":"SS","suits":[1,2,4],"columns":10,"cells":0,"foundations":false,"leaves":13,"hints":false,"top":48},
  "freecell": {"prefix":"FC","suits":[4],"columns":8,"cells":4,"foundations":true,"leaves":1,"hints":true,"top":52},
};
