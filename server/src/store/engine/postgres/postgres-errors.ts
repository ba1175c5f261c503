import { StoreFull, StoreUnavailable, StoreUnreachable } from '../../store.ts';

const PREPARED =
  'the pooler in front of PostgreSQL mixes up prepared statements: see "Poolers" in docs/guides/operations.md for the settings it needs';

/** The meaning of SQLSTATEs for the operator (PostgreSQL manual, appendix A); two characters are a class. */
const MEANINGS: Record<string, string> = {
  '08': 'the connection to PostgreSQL broke: check that the server and the network in between are up',
  '08P01':
    'the startup message was refused, as by a pooler that does not know its parameters: see "Poolers" in docs/guides/operations.md',
  '25006': 'the database cannot be written: it is read-only, as a standby is; name the primary in the URL',
  '25P03':
    'PostgreSQL ended a transaction because this process was idle in it for too long: check that the machine has CPU time to spare',
  '26000': PREPARED,
  28: 'PostgreSQL refused the login: check the user in the URL, and what pg_hba.conf requires of this host',
  '28P01': 'PostgreSQL refused the password: check the user and the password in the URL',
  '3D000': 'there is no such database on the server: create it (createdb), or name another in the URL',
  '3F000': "the role's search_path names no schema that exists: create one, or set another search_path",
  40: 'the database is busy: the transaction conflicted with others again and again; try again',
  '42501':
    'the role may not do this in the database: let it own the schema and its tables, or grant it what deploy/postgres/roles.sql does',
  '42P01': 'the database lacks a table of nameplate: run "nameplate migrate", or name another database',
  '42P05': PREPARED,
  '53100': 'the disk of PostgreSQL is full: nothing was written; free some space, and it can be written again',
  '53200': 'PostgreSQL is out of memory: see its log',
  '53300': 'PostgreSQL has no connection to spare: raise its max_connections, or run fewer processes',
  '55P03': 'the database is busy: another transaction holds a lock that is needed',
  57014: 'the database is too slow: a statement exceeded its timeout; check what else runs on the server',
  '57P': 'PostgreSQL is starting or stopping; it can be used again once it is up',
  58: "PostgreSQL's disk reported an error; look at its log",
  XX: 'PostgreSQL reported an internal error; look at its log',
};

/** The same for errors of the operating system and of TLS. */
const CONNECTION_MEANINGS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there: check that PostgreSQL runs, and that host and port of the URL are right',
  ENOENT: 'there is no such socket: check that PostgreSQL runs, and that the directory in the URL is right',
  ENOTFOUND: 'the host in the URL is unknown: check that its name is right, and that names can be resolved',
  EAI_AGAIN: 'the host in the URL cannot be looked up now: check that names can be resolved',
  EHOSTUNREACH: 'the host cannot be reached: check the network in between',
  ENETUNREACH: 'the host cannot be reached: check the network in between',
  EACCES: 'this user may not use the socket in the URL',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the certificate of the server is for another host: name the host that it is for, or set sslmode=verify-ca in the URL',
  ETIMEDOUT:
    'the server does not answer: check that host and port of the URL are right, and check the network in between',
};

const BROKE = 'the connection to PostgreSQL broke: check that the server and the network in between are up';
const HANGS = 'PostgreSQL does not answer: check the server, and the network in between';

/** Errors of `pg` that have no code. */
const MESSAGES: [message: RegExp, meaning: string][] = [
  [/^Query read timeout/, HANGS],
  [/due to connection timeout|^timeout expired/, HANGS],
  [/^timeout exceeded when trying to connect/, 'the database is busy: no connection became free in time; try again'],
  [/^Connection terminated|not queryable|^Client was closed|^write after end/, BROKE],
  [
    /client password must be a (non-empty )?string|password must be a/,
    'PostgreSQL demands a password, and the URL has none',
  ],
  [/does not support SSL/, 'the server has no TLS: set sslmode=disable in the URL, or ssl = on in postgresql.conf'],
  [/^Cannot use a pool after calling end/, 'the store is closed'],
];

/** An error of the engine as `StoreUnavailable`, with `cause`. Other errors (bugs) are returned as they are. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error;
  const meaning = meaningOf(error);
  if (meaning === undefined) return error;
  return new (codeOf(error) === '53100' ? StoreFull : StoreUnavailable)(meaning, { cause: error });
}

/** The same for opening a database; `name` is for people. */
export function cannotOpen(name: string, error: unknown): unknown {
  const unavailable = asUnavailable(error);
  if (!(unavailable instanceof StoreUnavailable) || unavailable === error) return error;
  return new StoreUnreachable(`cannot use the database ${name}: ${unavailable.message}`, { cause: error });
}

/** Serialization failure or deadlock: the transaction was rolled back, and a retry may succeed. */
export function isConflict(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error));
}

/** A lock was not free in time. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === '55P03';
}

/** The connection has not prepared the statement that was to run, or has done so before. */
export function isMisprepared(error: unknown): boolean {
  return ['26000', '42P05'].includes(codeOf(error));
}

/** Whether the connection broke: another one may work. */
export function isBroken(error: unknown): boolean {
  const code = codeOf(error);
  if (['ECONNRESET', 'EPIPE', '57P01', '57P02', '57P05', '25P03'].includes(code) || code.startsWith('08')) return true;
  return error instanceof Error && meaningIn(error) === BROKE;
}

/** Whether the connection must be closed: it broke, hangs, or leads to a standby, where a new one may reach the primary. */
export function isLost(error: unknown): boolean {
  return isBroken(error) || codeOf(error) === '25006' || (error instanceof Error && meaningIn(error) === HANGS);
}

function meaningOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  // One error for each address of the host.
  if (error instanceof AggregateError) return meaningOf(error.errors[0]);
  const code = codeOf(error);
  if (isSqlState(error)) return MEANINGS[code] ?? MEANINGS[code.slice(0, 3)] ?? MEANINGS[code.slice(0, 2)];
  if (code in CONNECTION_MEANINGS) return CONNECTION_MEANINGS[code];
  if (/^(CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS)/.test(code)) {
    return `the certificate of the server is not trusted (${code}): name its authority with sslrootcert in the URL`;
  }
  if (['ECONNRESET', 'EPIPE'].includes(code)) return BROKE;
  return meaningIn(error);
}

function meaningIn({ message }: Error): string | undefined {
  return MESSAGES.find(([pattern]) => pattern.test(message))?.[1];
}

/** Only errors of the server have a severity. */
function isSqlState(error: Error): boolean {
  return 'severity' in error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
