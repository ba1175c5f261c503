import { LISTENERS, type ListenerName, type ListeningSockets } from '../inherited-sockets.ts';

type Environment = Record<string, string | undefined>;

/**
 * A process inherits these from the one that it replaces. Processes of two releases exchange them: fields are only
 * added.
 */
export interface Inheritance extends HandedOver {
  /** Descriptor of the pipe to the first process, which waits until the last one ends; null: no process waits. */
  lifeline: number | null;
  /** The control socket of the process before, which this one replaces. */
  control: string | null;
}

/** The part of the inheritance that the server hands over. */
export interface HandedOver {
  sockets: ListeningSockets[];
  /**
   * The secret by which the API knows requests that an edge forwards. Both processes share it, since one edge still
   * drains. Absent: the predecessor is of a release that kept its own.
   */
  edgeSecret?: string | undefined;
}

/** The variable of the successor's environment that holds the inheritance, as JSON. */
const INHERITANCE = '_NAMEPLATE_INHERITANCE';

/** Adds the inheritance to the environment of a successor. */
export function withInheritance(env: Environment, inheritance: Inheritance): Environment {
  return { ...env, [INHERITANCE]: JSON.stringify(inheritance) };
}

/**
 * Returns what this process inherits from the one that it replaces, and removes it from `env`; null: it replaces none.
 */
export function takeInheritance(env: Environment): Inheritance | null {
  const text = env[INHERITANCE];
  if (text === undefined) return null;
  delete env[INHERITANCE];
  return JSON.parse(text) as Inheritance;
}

/** systemd's descriptors begin here (sd_listen_fds(3)). */
const FIRST_FD = 3;

/**
 * Returns the sockets that systemd, or a program like it, has opened for this process (sd_listen_fds(3)), and removes
 * them from `env`; empty: none. `FileDescriptorName=` is `api`, `http`, `https`, `metrics`, `health`, `front`, `dns` or
 * `dns-udp`; or the unit has such a name, as `nameplate-http.socket`. Throws where a name is none of these.
 */
export function takeSystemdSockets(env: Environment, pid = process.pid): ListeningSockets[] {
  const { LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES = '' } = env;
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name];
  if (LISTEN_FDS === undefined || Number(LISTEN_PID) !== pid) return [];
  const names = LISTEN_FDNAMES.split(':');
  const found = new Map<ListenerName, number[]>();
  for (let i = 0; i < Number(LISTEN_FDS); i += 1) {
    const name = listenerOf(names[i] ?? '');
    found.set(name, [...(found.get(name) ?? []), FIRST_FD + i]);
  }
  return [...found].map(([name, fds]) => ({ name, endpoint: null, port: null, fds }));
}

function listenerOf(given: string): ListenerName {
  const word = given.replace(/^nameplate-/, '').replace(/\.socket$/, '');
  const name = LISTENERS.find((each) => each === word);
  if (name !== undefined) return name;
  throw new Error(
    `systemd has opened a socket with the name "${given}", which says nothing to this program: set FileDescriptorName= of the socket unit to one of ${LISTENERS.join(', ')}.`,
  );
}
