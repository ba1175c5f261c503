/** No token of a dashboard or a session is valid for longer, whatever its `exp`. */
export const MAX_TOKEN_LIFE_MS = 120_000;
/** How far the clock of the signing node may be ahead. It adds nothing to the life of a token. */
export const SKEW_MS = 5_000;
