// What is asked of /api, as the player of this browser where they are known.

import { identity } from "./settings.js";

/** Why something was refused: `reason`, `rule` and `params`, as texts.js makes a sentence of them. */
export class Refusal extends Error {
  constructor({ reason, rule = "", params = {} }, status = 0) {
    super(reason);
    Object.assign(this, { reason, rule, params, status });
  }
}

/**
 * Fetch what is at /api/*path*. Throws a Refusal where the server says no, and whatever fetch throws without a network.
 * With `own: false` nobody is named: what is fetched so opens no deal.
 */
export async function get(path, { own = true } = {}) {
  const token = own && identity.get("token");
  const answer = await fetch(`/api/${path}`, { headers: token ? { Authorization: `Bearer ${token}` } : {} });
  const body = await answer.json();
  if (answer.ok) return body;
  if (body.reason === "BAD_TOKEN" && token) return get(path, { own: false });
  throw new Refusal(body, answer.status);
}
