import { type Simulator, startSimulator } from '../../src/playground/dns/simulator.ts';

const PORT_TRIES = 20;

/**
 * Several simulators with records of their own, on one port: for example a resolver and the nameservers that it names.
 * The port must be free at every one of the loopback addresses, so several are tried.
 */
export async function startSimulators<const Hosts extends readonly string[]>(
  hosts: Hosts,
): Promise<{ [Index in keyof Hosts]: Simulator }> {
  for (let tries = 1; ; tries++) {
    const started: Simulator[] = [];
    try {
      for (const host of hosts) started.push(await startSimulator({ port: started[0]?.port ?? 0, host }));
      return started as { [Index in keyof Hosts]: Simulator };
    } catch (error) {
      await Promise.all(started.map((simulator) => simulator.close()));
      if (tries === PORT_TRIES) throw error;
    }
  }
}
