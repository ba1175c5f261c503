/** Finds redirects of an origin to the URL that was asked for, which a browser follows in circles. Pure. */

interface Redirect {
  method: string | undefined;
  /** Scheme, authority and path are those of the visitor's request. */
  scheme: 'http' | 'https';
  /** Host name in lower case, with the port of the request if it has one. */
  authority: string;
  path: string;
  /** Status, location and cookie are those of the response. */
  status: number;
  location: string | undefined;
  setsCookie: boolean;
  cacheControl: string | undefined;
}

const PERMANENT = [301, 308];
const TEMPORARY = [302, 303, 307];
const NOT_KEPT = /no-store|no-cache|max-age=0\b/i;

/**
 * `endless`: a permanent redirect to the same URL, which no later request can end: browsers keep it. `suspect`: a
 * temporary one, or one that browsers do not keep, which an origin may also use to have the visitor ask again. Null:
 * neither; nor is a response that sets or clears cookies, by which the next request differs. A URL that is only written
 * in another way is another URL.
 */
export function selfRedirectOf({
  method,
  scheme,
  authority,
  path,
  ...response
}: Redirect): 'endless' | 'suspect' | null {
  const { status, location, setsCookie, cacheControl } = response;
  const isPermanent = PERMANENT.includes(status);
  if (!isPermanent && !TEMPORARY.includes(status)) return null;
  if ((method !== 'GET' && method !== 'HEAD') || location === undefined || setsCookie) return null;
  const asked = URL.parse(`${scheme}://${authority}`);
  const target = asked && URL.parse(location, `${asked.origin}${path}`);
  // With the mark of an empty query, which `search` does not have.
  if (target === null || target.href.split('#', 1)[0] !== `${asked?.origin}${path}`) return null;
  return isPermanent && !NOT_KEPT.test(cacheControl ?? '') ? 'endless' : 'suspect';
}
