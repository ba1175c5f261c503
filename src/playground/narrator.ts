import type { DestinationStream } from 'pino';

/** What a line of the log says, as far as people are told. */
interface Entry {
  level: number;
  time: number;
  msg: string;
  domain?: string;
  status?: string;
  err?: { message?: string };
}

const INFO = 30;
const WARN = 40;

/** Turns the log into plain words: what became of domains and certificates, and whatever went wrong. */
export function narrator(tell: (words: string, at: number) => void): DestinationStream {
  return {
    write(json) {
      const entry = JSON.parse(json) as Entry;
      const words = wordsOf(entry);
      if (words !== null) tell(words, entry.time);
    },
  };
}

function wordsOf({ level, msg, domain, status, err }: Entry): string | null {
  if (domain !== undefined && status !== undefined) return `${domain} is ${status}`;
  if (level < WARN) return domain === undefined || level < INFO ? null : `${domain}: ${msg}`;
  return err?.message === undefined ? msg : `${msg}: ${err.message}`;
}
