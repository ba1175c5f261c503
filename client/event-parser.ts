/** One server-sent event. */
export interface ServerSentEvent {
  event: string;
  data: string;
  /** Id of this event, or of an earlier one. */
  id: string | undefined;
  /** Milliseconds to wait before the next connection, as the server last asked. */
  retryMs: number | undefined;
}

/**
 * Parses a stream of events (HTML standard, section 9.2.6): takes the text as it comes, and returns the events that it
 * completes.
 */
export function eventParser(): (text: string) => ServerSentEvent[] {
  let rest = '';
  let isFirst = true;
  let id: string | undefined;
  let retryMs: number | undefined;
  let event = '';
  let data: string[] = [];

  function take(line: string): void {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d+$/.test(value)) retryMs = Number(value);
  }

  return (text) => {
    rest += isFirst ? text.replace(/^\ufeff/, '') : text;
    if (text !== '') isFirst = false;
    // A carriage return at the end may be half of a line break.
    const lines = rest.split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? '';
    const events: ServerSentEvent[] = [];
    for (const line of lines) {
      if (line !== '') {
        take(line);
        continue;
      }
      if (data.length > 0) events.push({ event: event || 'message', data: data.join('\n'), id, retryMs });
      event = '';
      data = [];
    }
    return events;
  };
}
