import type { DestinationStream } from 'pino';

/** The fields of a log line that are shown to people. */
interface LogLine {
  level: number;
  time: number;
  msg: string;
  domain?: string;
  webhookId?: string;
  status?: string;
  err?: { message?: string };
}

const INFO = 30;
const WARN = 40;

/**
 * A log destination for people: status changes of domains and certificates, deliveries to webhooks, warnings and
 * errors, one line each.
 */
export function plainLog(write: (line: string, at: number) => void): DestinationStream {
  return {
    write(json) {
      const line = JSON.parse(json) as LogLine;
      const text = textOf(line);
      if (text !== null) write(text, line.time);
    },
  };
}

function textOf({ level, msg, domain, webhookId, status, err }: LogLine): string | null {
  if (domain !== undefined && status !== undefined) return `${domain} is ${status}`;
  const subject = domain ?? webhookId;
  if (level < WARN) return subject === undefined || level < INFO ? null : `${subject}: ${msg}`;
  return err?.message === undefined ? msg : `${msg}: ${err.message}`;
}
