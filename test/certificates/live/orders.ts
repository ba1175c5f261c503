import type { Order } from './book.ts';

/** A node that was killed, and when it was gone (Unix ms). */
export interface Killed {
  pid: number;
  at: number;
}

export interface Judged {
  orders: number;
  valid: number;
  /** Orders that a node which was killed had asked for, and whose URL it had not kept. */
  lost: number;
  /** Most of these of one kill. */
  'most lost in a kill': number;
  /** What is wrong: orders that were open beside each other for one name, or that two nodes worked on. */
  faults: string[];
}

/** Holds what a CA has seen to the rule: one order at a time for a name, on which one node works until it dies. */
export function judge(orders: readonly Order[], kills: readonly Killed[] = []): Judged {
  const diedAt = (pid: number | null) => kills.find((killed) => killed.pid === pid)?.at ?? Number.POSITIVE_INFINITY;
  const faults: string[] = [];
  const lost: Order[] = [];
  for (const [name, own] of Map.groupBy(orders, ({ hostname }) => hostname)) {
    own.forEach((order, i) => {
      const next = own[i + 1];
      if (next !== undefined && (order.endedAt === null || order.endedAt > next.askedAt)) {
        if (order.requests.length === 0 && diedAt(order.pid) <= next.askedAt) lost.push(order);
        else
          faults.push(
            `${name} was ordered again while an order was open, on which ${order.requests.length} requests had been made`,
          );
      }
      let { pid } = order;
      for (const request of order.requests) {
        if (request.pid === pid) continue;
        if (request.at < diedAt(pid))
          faults.push(`${name}: ${request.pid} took the order of ${pid} over, which was alive`);
        pid = request.pid;
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
