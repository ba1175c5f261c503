import { createLog } from '../../server/src/base/log.ts';
import { type AcmeOptions, acmeIssuer } from '../../server/src/certificates/acme/acme.ts';
import { CaProblem, type Issuer, type IssueTask } from '../../server/src/certificates/issuer.ts';
import { newPrivateKey } from '../../server/src/certificates/x509/private-key.ts';
import type { Store } from '../../server/src/store/store.ts';
import { openEngine } from '../support/engine.ts';
import { type FakeCa, type FakeCaOptions, startFakeCa } from '../support/fake-ca/fake-ca.ts';

/** A store, a fixed clock, CAs and issuers. */
export interface Issuing {
  store: Store;
  clock: { now(): number; pass(ms: number): void };
  /** All log lines. */
  logged: string[];
  /** Starts a CA for one test; it is closed with the world. */
  startCa(options?: Partial<FakeCaOptions>): Promise<FakeCa>;
  /** A new one each time: another node, or the same after a crash. */
  issuer(ca: Pick<FakeCa, 'directoryUrl'>, about?: Partial<AcmeOptions>): Issuer;
  /** Saves the order's URL, and publishes challenge responses. */
  task(about?: Partial<IssueTask>): Task;
  /** The problem of an order at a CA; rejects if there is none. */
  problemAt(ca: FakeCa, task?: Task): Promise<CaProblem>;
  close(): Promise<void>;
}

export interface Task extends IssueTask {
  /** The calls, in order: `order`, `present`, `ensureLease`. */
  steps: string[];
}

/** Short waits. */
const FAST = { pollMs: 1, timeoutMs: 5_000, pollBudgetMs: 2_000 };
const START = Date.UTC(2026, 10, 21);

/** `now`: the time of the clock at the start. */
export async function createIssuing({ now = START } = {}): Promise<Issuing> {
  const clock = {
    now: () => now,
    pass(ms: number) {
      now += ms;
    },
  };
  const { store, remove } = await openEngine({ clock });
  const logged: string[] = [];
  const log = createLog('trace', { write: (line: string) => void logged.push(line) });
  const answers = new Map<string, string>();
  const cas: FakeCa[] = [];
  let names = 0;

  async function fetchChallenge(hostname: string, token: string): Promise<string> {
    const answer = answers.get(`${hostname} ${token}`);
    if (answer === undefined) throw new Error('404');
    return answer;
  }

  function createIssuer({ directoryUrl }: Pick<FakeCa, 'directoryUrl'>, about: Partial<AcmeOptions> = {}): Issuer {
    return acmeIssuer({
      ...FAST,
      directoryUrl,
      email: 'ops@example.com',
      externalAccount: null,
      trustRoots: null,
      store,
      clock,
      log,
      ...about,
    });
  }

  function createTask(about: Partial<IssueTask> = {}): Task {
    const steps: string[] = [];
    const task: Task = {
      steps,
      hostname: `name${++names}.example.com`,
      privateKey: newPrivateKey(),
      orderUrl: null,
      replaces: null,
      challenge: 'http-01',
      signal: new AbortController().signal,
      async onOrder(url) {
        steps.push('order');
        task.orderUrl = url;
      },
      async present({ token, keyAuthorization }) {
        steps.push('present');
        answers.set(`${task.hostname} ${token}`, keyAuthorization);
      },
      async ensureLease() {
        steps.push('ensureLease');
      },
      ...about,
    };
    return task;
  }

  return {
    store,
    clock,
    logged,
    async startCa(options = {}) {
      const ca = await startFakeCa({ clock, limits: [], fetchChallenge, ...options });
      cas.push(ca);
      return ca;
    },
    issuer: createIssuer,
    task: createTask,
    async problemAt(ca, task = createTask()) {
      const outcome = await createIssuer(ca)
        .issue(task)
        .catch((error: unknown) => error);
      if (!(outcome instanceof CaProblem)) throw new Error(`no problem of the CA: ${outcome}`);
      return outcome;
    },
    async close() {
      for (const ca of cas) await ca.close();
      await store.close();
      await remove();
    },
  };
}
