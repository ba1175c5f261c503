import { type DestinationStream, type Logger, pino } from 'pino';

export type Log = Logger;
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

/** Header and field names whose values are secrets, wherever an object that is logged carries them. */
const SECRETS = ['authorization', 'rootKey', 'key', 'token', 'password', 'secret'];

/** JSON lines. Secrets are never passed to it; the redaction is the second net. */
export function createLog(level: LogLevel, destination?: DestinationStream): Log {
  const redact = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);
  return destination === undefined ? pino({ level, redact }) : pino({ level, redact }, destination);
}
