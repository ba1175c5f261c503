import type { Order, Request } from './book.ts';

/** A node that was killed, and when it was gone (Unix ms). */
export interface Killed {
  pid: number;
  at: number;
}

export interface Judged {
  orders: number;
  valid: number;
  /** Orders of killed nodes whose URL was not saved. */
  lost: number;
  /** Most of these of one kill. */
  'most lost in a kill': number;
  /** Violations: concurrent orders for one name, or orders that two nodes worked on. */
  faults: string[];
}

type Asker = Pick<Request, 'pid' | 'at'>;

/** A node that was gone before its connection was found had died just before. */
const JUST_MS = 2000;

/** Checks the rule: one order at a time for a name, on which one node works until it dies. */
export function judge(orders: readonly Order[], kills: readonly Killed[] = []): Judged {
  const diedAt = ({ pid, at }: Asker) =>
    kills.find((one) => (pid === null ? Math.abs(one.at - at) < JUST_MS : one.pid === pid))?.at;
  const isAlive = (asker: Asker, at: number) => (diedAt(asker) ?? Number.POSITIVE_INFINITY) > at;
  const faults: string[] = [];
  const lost: Order[] = [];
  for (const [name, own] of Map.groupBy(orders, ({ hostname }) => hostname)) {
    own.forEach((order, i) => {
      const asker = { pid: order.pid, at: order.askedAt };
      const next = own[i + 1];
      if (next !== undefined && (order.endedAt === null || order.endedAt > next.askedAt)) {
        if (order.requests.length === 0 && !isAlive(asker, next.askedAt)) lost.push(order);
        else
          faults.push(
            `${name} was ordered again at ${next.askedAt} by ${next.pid} while an order was open: ${shown(order)}`,
          );
      }
      let before: Asker = asker;
      for (const request of order.requests) {
        if (request.pid !== before.pid && isAlive(before, request.at))
          faults.push(`${name}: ${request.pid} took over at ${request.at} from ${before.pid}, which was alive`);
        before = request;
      }
    });
  }
  const perKill = [...Map.groupBy(lost, ({ pid }) => pid).values()].map(({ length }) => length);
  return {
    orders: orders.length,
    valid: orders.filter(({ end }) => end === 'valid').length,
    lost: lost.length,
    'most lost in a kill': Math.max(0, ...perKill),
    faults,
  };
}

function shown({ pid, askedAt, end, requests }: Order): string {
  const steps = requests.map((request) => `${request.pid} ${request.step}`);
  return `asked for at ${askedAt} by ${pid}, ${end}, then ${steps.join(', ')}`;
}
