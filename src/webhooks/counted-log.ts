/** How often something has happened to a webhook since it was reported last. */
interface Counted {
  count: number;
  /** Of the last time. */
  about: object;
}

/** Reports what happens to webhooks: the first time at once, then once a minute for each webhook at most, with how often it happened. */
export interface CountedLog {
  /** `about`: more fields of the line. */
  add(webhookId: string, about?: object): void;
  /** Reports what is left. */
  stop(): void;
}

const EVERY_MS = 60_000;

export function countedLog(report: (fields: { webhookId: string; count: number }) => void): CountedLog {
  const recent = new Map<string, Counted>();
  let timer: NodeJS.Timeout | undefined;

  function reportAll(): void {
    for (const [webhookId, { count, about }] of recent) {
      if (count === 0) recent.delete(webhookId);
      else {
        recent.set(webhookId, { count: 0, about: {} });
        report({ ...about, webhookId, count });
      }
    }
    timer = recent.size === 0 ? undefined : setTimeout(reportAll, EVERY_MS);
  }

  return {
    add(webhookId, about = {}) {
      const before = recent.get(webhookId);
      if (before === undefined) report({ ...about, webhookId, count: 1 });
      recent.set(webhookId, { count: before === undefined ? 0 : before.count + 1, about });
      timer ??= setTimeout(reportAll, EVERY_MS);
    },
    stop() {
      clearTimeout(timer);
      reportAll();
      clearTimeout(timer);
    },
  };
}
