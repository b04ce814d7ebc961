/** What is declared in Python and known here too: made by `make protocol`, never changed by hand. */

/** Messages in text frames. */
export const SUBPROTOCOL = "samedeal.v1.json";

/** Why a connection was closed, by its code; others are as 1006. */
export const CLOSE = {"1000":"LEFT","1006":"CLOSED","1012":"CLOSED","1013":"BUSY","4400":"BAD_MESSAGE","4401":"BAD_TOKEN","4402":"NO_HELLO","4403":"WRONG_WORD","4404":"NO_ROOM","4409":"TAKEN_OVER","4410":"ROOM_CLOSED","4411":"FORGOTTEN","4422":"BAD_NAME","4423":"ROOM_LOCKED","4424":"KICKED","4425":"TWIN_NAME","4426":"ROOM_FULL","4429":"TOO_FAST","4430":"TOO_MANY_ROOMS"};

/** After which of these a client comes back by itself. */
export const COMES_BACK = [1001,1005,1006,1011,1012,1013,1014];

/** The text of each pile: columns, cells, the foundations. */
export const PILES = "1234567890abcdh";

/** The options that are not told, since they are the usual ones. */
export const OPTIONS = {"game":"simple-simon","suits":null,"code":null,"deals":"pool","mixed":false,"goal":"time","limit_ms":900000,"seats":8,"undo":true,"restart":true,"hint":false,"public":false,"view":"after"};

/** A `time` race ends so long after the first solver, or as long as they took. */
export const FINISH_WINDOW_MS = 120000;

/** What is drawn of each game, and asked for. `top` is the progress of whoever has won; so many cards as `leaves` go home at once. */
export const GAMES = {
  "simple-simon": {"prefix":"SS","suits":[1,2,4],"foundations":false,"leaves":13,"hints":false,"top":48},
  "freecell": {"prefix":"FC","suits":[4],"foundations":true,"leaves":1,"hints":true,"top":52},
};
