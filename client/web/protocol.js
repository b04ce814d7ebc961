/**
 * What is declared in shared/ and known here too: made by `make protocol`, never changed by hand.
 */

/** Messages in text frames. */
export const SUBPROTOCOL = "samedeal.v1.json";

/** Why a connection was closed, by its code, and whether a client comes back by itself. */
export const CLOSE = {
  "1000": {"name":"LEFT","reconnects":false},
  "1001": {"name":"CLOSED","reconnects":true},
  "1005": {"name":"CLOSED","reconnects":true},
  "1006": {"name":"CLOSED","reconnects":true},
  "1011": {"name":"CLOSED","reconnects":true},
  "1012": {"name":"CLOSED","reconnects":true},
  "1013": {"name":"BUSY","reconnects":true},
  "1014": {"name":"CLOSED","reconnects":true},
  "4400": {"name":"BAD_MESSAGE","reconnects":false},
  "4401": {"name":"BAD_TOKEN","reconnects":false},
  "4402": {"name":"NO_HELLO","reconnects":false},
  "4403": {"name":"WRONG_WORD","reconnects":false},
  "4404": {"name":"NO_ROOM","reconnects":false},
  "4409": {"name":"TAKEN_OVER","reconnects":false},
  "4410": {"name":"ROOM_CLOSED","reconnects":false},
  "4422": {"name":"BAD_NAME","reconnects":false},
  "4423": {"name":"ROOM_LOCKED","reconnects":false},
  "4424": {"name":"KICKED","reconnects":false},
  "4425": {"name":"TWIN_NAME","reconnects":false},
  "4429": {"name":"TOO_FAST","reconnects":false},
  "4430": {"name":"TOO_MANY_ROOMS","reconnects":false},
};

/** Every reason of a refusal; `refusal.REASON` is its sentence. */
export const REASONS = ["IDLE","NO_PILE","EMPTY_PILE","FEW_CARDS","NOT_A_RUN","NOT_NEXT","TOO_MANY","ONE_CARD","CELL_TAKEN","CELL_TO_CELL","ONE_HOME","NOT_HOME_YET","FROM_FOUNDATION","NO_TARGET","NOT_PLAYING","NO_UNDO","NO_HINT","NO_GATHER","ENTRY_LIMIT","TIME_FELL","CODE_FORM","CODE_GAME","CODE_VERSION","CODE_SUITS","CODE_NO_SUITS","CODE_LENGTH","CODE_SYMBOL","CODE_NUMBER","BAD_CARD","BAD_MOVE","BAD_NOTATION","NO_NOTATION","BAD_POSITION","BAD_LAYOUT","WRONG_SUITS","WRONG_PILES","PART_SEQUENCE","WHOLE_SEQUENCE","NOT_THE_PACK","NOT_JSON","KEY_TWICE","BAD_RECORD","BAD_TIME","BAD_RESULT","TOO_LARGE","UNREADABLE","BAD_GZIP","ENDLESS_LINE","NO_RECORDS","BAD_POOL","BAD_TEXTS","BAD_MESSAGE","UNKNOWN_COMMAND","NO_HELLO","BAD_NAME","BAD_TOKEN","TAKEN_OVER","TOO_SLOW","CLOSED","TOO_FAST","NOT_FOUND","NOT_OPEN","BAD_METHOD","BAD_QUERY","BAD_HOST","BAD_ORIGIN","TOO_MANY_CONNECTIONS","NO_ROOM","ROOM_LOCKED","ROOM_CLOSED","TOO_MANY_ROOMS","WRONG_WORD","TWIN_NAME","KICKED","LEFT","NOT_HERE","SOMEONE_PLAYS","WRONG_PHASE","NOT_HOST","NO_SEAT","NOT_ALLOWED","STALE_COUNTDOWN","STALE_RACE","NOT_MIXED","SEALED","STALE_PLY","BUSY","NOT_STORED","MAYBE_STORED","DATABASE_HELD","DATABASE_NEWER","DATABASE_OLDER","DATABASE_FOREIGN","NOT_SQLITE","BAD_DATABASE"];

/** The phases of a race. */
export const PHASES = {"OPEN":"open","COUNTDOWN":"countdown","RUNNING":"running","FINISHED":"finished"};

/** The states of an attempt. */
export const STATES = {"WAITING":"waiting","PLAYING":"playing","SOLVED":"solved","RESIGNED":"resigned","TIMED_OUT":"timed_out","ABANDONED":"abandoned","VOID":"void"};

/** The text of each pile: columns, cells, the foundations. */
export const PILES = "1234567890abcdh";

/** The options that are not told, since they are the usual ones. */
export const OPTIONS = {"game":"simple-simon","suits":null,"code":null,"deals":"pool","mixed":false,"goal":"time","limit_ms":900000,"seats":8,"undo":true,"restart":true,"hint":false,"public":false,"view":"after"};

/** What is drawn of each game, and asked for. `top` is the progress of whoever has won; so many cards as `leaves` go home at once. */
export const GAMES = {
  "simple-simon": {"prefix":"SS","version":1,"suits":[1,2,4],"columns":10,"cells":0,"foundations":false,"leaves":13,"hints":false,"top":48},
  "freecell": {"prefix":"FC","version":1,"suits":[4],"columns":8,"cells":4,"foundations":true,"leaves":1,"hints":true,"top":52},
};
