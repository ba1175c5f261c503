/** The file of an SQLite store, in the directory that is named for it. */
export const STORE_FILE = 'nameplate.db';

const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

export type DatabaseUrl = SqliteUrl | PostgresUrl;

export interface SqliteUrl {
  engine: 'sqlite';
  path: string;
}

export interface PostgresUrl {
  engine: 'postgres';
  /** A host name, an IP address, or the directory of a Unix socket. */
  host: string;
  port: number;
  user: string;
  /** A secret. Absent: from `~/.pgpass` or the like. */
  password?: string;
  database: string;
  /** As libpq's `sslmode`: `require` encrypts, the last two also verify the server's certificate. */
  tls: (typeof TLS_MODES)[number];
  /** File of trusted CA certificates. Absent: the system's. */
  rootCertificate?: string;
}

/** The URL of a database cannot be read. The message completes the sentence "<given> is the database, <message>". */
export class InvalidDatabaseUrl extends Error {
  override name = 'InvalidDatabaseUrl';
}

/** `sqlite:PATH`, or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. Throws `InvalidDatabaseUrl`. */
export function parseDatabaseUrl(text: string): DatabaseUrl {
  if (/^postgres(ql)?:/.test(text)) return postgresUrl(text);
  const path = /^sqlite:(?:\/\/(?=\/))?(?<path>.+)$/.exec(text)?.groups?.path;
  if (path === undefined)
    throw new InvalidDatabaseUrl('which is neither sqlite:PATH nor postgres://USER:PASSWORD@HOST/DATABASE');
  return { engine: 'sqlite', path };
}

/** A URL as libpq takes it (PostgreSQL manual, section 34.1.1), with three of its parameters. */
function postgresUrl(text: string): PostgresUrl {
  // The host may be absent, which `URL` does not allow.
  const url = parsedUrl(text.replace(/^postgres(ql)?:\/\/([^/?]*@)?(?=[/?]|$)/, 'postgres://$2localhost'));
  const parameters = new Map(url.searchParams);
  const taken = (name: string) => {
    const value = parameters.get(name);
    parameters.delete(name);
    return value;
  };
  const host = taken('host') ?? unescaped(url.hostname).replace(/^\[(.*)\]$/, '$1');
  const sslmode = taken('sslmode') ?? 'disable';
  const tls = TLS_MODES.find((mode) => mode === sslmode);
  if (tls === undefined) throw new InvalidDatabaseUrl(`whose sslmode is none of ${TLS_MODES.join(', ')}`);
  const rootCertificate = taken('sslrootcert');
  const [unknown] = parameters.keys();
  if (unknown !== undefined)
    throw new InvalidDatabaseUrl(`whose parameter ${unknown} is none of host, sslmode, sslrootcert`);
  const [user, password] = [unescaped(url.username), unescaped(url.password)];
  const database = unescaped(url.pathname.slice(1));
  if (user === '') throw new InvalidDatabaseUrl('which names no user');
  if (database === '') throw new InvalidDatabaseUrl('which names no database');
  return {
    engine: 'postgres',
    host,
    port: url.port === '' ? 5432 : Number(url.port),
    user,
    ...(password !== '' && { password }),
    database,
    tls,
    ...(rootCertificate !== undefined && { rootCertificate }),
  };
}

function parsedUrl(text: string): URL {
  if (!URL.canParse(text)) {
    throw new InvalidDatabaseUrl(
      'which is not a URL; special characters of a password are written as in URLs, @ as %40',
    );
  }
  return new URL(text);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidDatabaseUrl('which has a % that is not followed by two hexadecimal digits; write it as %25');
  }
}
