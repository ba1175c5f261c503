import { closeSync } from 'node:fs';
import type { Endpoint } from '../config/config.ts';

/** The listeners of a process. `front`: of a program in front of the edge; `dns`: over TCP; `dns-udp`: at the same ports. */
export const LISTENERS = ['api', 'metrics', 'http', 'https', 'health', 'front', 'dns', 'dns-udp'] as const;
export type ListenerName = (typeof LISTENERS)[number];

/** Sockets that listen on one address. */
export interface ListeningSockets {
  name: ListenerName;
  /**
   * The address in the configuration that they were opened with. Null: systemd has opened them, and further ones cannot
   * be opened beside them.
   */
  endpoint: Endpoint | null;
  /** Where they listen; null: where the configuration says. */
  port: number | null;
  fds: number[];
}

/** The listening sockets that this process was given by another one. */
export interface InheritedSockets {
  /** Takes the sockets of an address, once; null: there are none. */
  take(name: ListenerName, endpoint: Endpoint): ListeningSockets | null;
  /** The listener that has sockets on this port, at any address; null: none. */
  nameOn(port: number): ListenerName | null;
  /** Closes the sockets that were not taken. */
  closeRest(): void;
}

export function inheritedSockets(given: readonly ListeningSockets[]): InheritedSockets {
  const left = new Set(given);
  return {
    take(name, endpoint) {
      for (const sockets of left) {
        if (sockets.name !== name || !isFor(sockets.endpoint, endpoint)) continue;
        left.delete(sockets);
        return sockets;
      }
      return null;
    },
    nameOn: (wanted) => given.find(({ port, endpoint }) => (port ?? endpoint?.port) === wanted)?.name ?? null,
    closeRest() {
      for (const { fds } of left) for (const fd of fds) closeSync(fd);
      left.clear();
    },
  };
}

function isFor(opened: Endpoint | null, wanted: Endpoint): boolean {
  return opened === null || (opened.host === wanted.host && opened.port === wanted.port);
}

/** A part of a process that listens. */
export interface ListeningPart {
  /** Accepts connections on the sockets that the process was given. */
  accept(): Promise<void>;
  /** All of its listening sockets, for the process that replaces this one. */
  sockets(): Promise<ListeningSockets[]>;
}
