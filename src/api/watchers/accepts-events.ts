/**
 * Whether an `Accept` header (RFC 9110 section 12.5.1) names event streams. A wildcard does not: clients that expect JSON send one, and would wait for the end of
 * the response.
 */
export function acceptsEvents(accept = ''): boolean {
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
