import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/**
 * Fields whose values are secrets. Nothing passes them to the log; this is the second net, for the fields of a line itself. Deeper ones
 * would cost a fifth of all requests a second.
 */
const SECRETS = ['authorization', 'rootKey', 'key', 'token', 'password', 'secret'];

/** JSON lines. */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const options = { level, redact: SECRETS };
  return destination === undefined ? pino(options) : pino(options, destination);
}
