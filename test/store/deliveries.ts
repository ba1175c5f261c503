import { afterEach, describe, expect, it } from 'vitest';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import type {
  AddedDelivery,
  DeliveryResult,
  DeliveryStore,
  DueDelivery,
  Webhook,
} from '../../server/src/store/store.ts';
import { anIssuedCertificate, aSave, DAY_MS, verify } from '../support/certificates.ts';
import { AUTHOR, attach, failedAt, NOW, timelineOf, verifiedAt, verifyingAt } from '../support/entities.ts';
import { aDeliveryResult, addWebhook, claimDue, LEASE_MS, saveResults } from '../support/webhooks.ts';
import type { Subject } from './subject.ts';

type FailingRule = Omit<Parameters<DeliveryStore['saveDelivery']>[1], 'now'>;

export function describeDeliveries(subject: Subject): void {
  const added: Webhook[] = [];
  const add = async (about: Partial<Webhook> & Pick<Webhook, 'workspaceId'>) => {
    const webhook = await addWebhook(subject.store, about);
    added.push(webhook);
    return webhook;
  };
  afterEach(async () => {
    for (const { workspaceId, id } of added.splice(0)) await subject.store.deleteWebhook(workspaceId, id);
  });

  const claim = (about: Parameters<typeof claimDue>[1] = {}) => claimDue(subject.store, about);
  const one = async (now = NOW): Promise<DueDelivery> => {
    const [due, ...others] = await claim({ now });
    if (due === undefined || others.length > 0) throw new Error(`${others.length + 1} deliveries were due`);
    return due;
  };
  const save = async (results: DeliveryResult[], now = NOW, rule: Partial<FailingRule> = {}) => ({
    disabled: await saveResults(subject.store, results, now, rule),
  });
  const retryAt = (nextAttemptAt: number) => ({ outcome: { kind: 'retry', nextAttemptAt } as const });

  const setUp = async (about: Partial<Webhook> = {}) => {
    const planted = await subject.plant();
    return { ...planted, webhook: await add({ workspaceId: planted.workspace.id, ...about }) };
  };
  /** Flips the flag of the routing record: one event each time. */
  const flip = async (before: Domain, now: number): Promise<Domain> => {
    const routingVerifiedAt = before.routingVerifiedAt === null ? now : null;
    const after = { ...verifyingAt(before, now), routingVerifiedAt };
    await subject.store.saveTransition({ before, after, memory: NO_MEMORY, now });
    return after;
  };
  const typesDelivered = async (now = NOW): Promise<string[]> => {
    const types: string[] = [];
    for (;;) {
      const due = await claim({ now });
      if (due.length === 0) return types;
      types.push(...due.map(({ type }) => type));
      await save(
        due.map((each) => aDeliveryResult(each)),
        now,
      );
    }
  };

  describe('the outbox', () => {
    it('has each event of the timeline, in its order, with the domain after the change', async () => {
      const { store } = subject;
      const { environment, workspace, webhook } = await setUp();
      const domain = await attach(store, environment, {}, AUTHOR);
      const failed = failedAt(domain, NOW + 1);
      await store.saveTransition({ before: domain, after: failed, memory: NO_MEMORY, now: NOW + 1 });
      await store.changesBy(AUTHOR).retryVerification(workspace.id, domain.id, NOW + 2, WINDOW_MS);
      const retried = (await store.findDomainById(workspace.id, domain.id)) as Domain;
      const verified = verifiedAt(retried, NOW + 3);
      const seen = { routing: ['a.example.'] };
      await store.saveTransition({ before: retried, after: verified, memory: NO_MEMORY, seen, now: NOW + 3 });
      await store.changesBy({ ...AUTHOR, actor: 'key_2' }).deleteDomain(workspace.id, domain.id, NOW + 4);
      const timeline = await timelineOf(store, domain);
      for (const [i, event] of timeline.entries()) {
        const due = await one(NOW + 9);
        expect(due).toMatchObject({
          webhookId: webhook.id,
          workspaceId: workspace.id,
          url: webhook.url,
          queue: domain.id,
          domainId: domain.id,
          eventId: event.id,
          type: event.type,
          happenedAt: event.createdAt,
          waitingSince: event.createdAt,
          attempts: 0,
        });
        const after = afterOf(event.type);
        expect(due.message).toEqual({
          domain: after,
          actor: event.actor,
          ...(event.data.record && { record: event.data.record }),
          ...(event.data.seen && { seen: event.data.seen }),
        });
        await save([aDeliveryResult(due)], NOW + 9);
        if (i === timeline.length - 1) expect(await claim({ now: NOW + 9 })).toEqual([]);
      }
      expect(timeline.map(({ type }) => type)).toEqual([
        'domain.created',
        'domain.failed',
        'domain.retried',
        'record.seen',
        'record.seen',
        'domain.verified',
        'domain.deleted',
      ]);

      function afterOf(type: string): Domain {
        if (type === 'domain.created') return domain;
        if (type === 'domain.failed') return failed;
        return type === 'domain.retried' ? retried : verified;
      }
    });

    it('has events of certificates, with the certificate', async () => {
      const { store } = subject;
      const { environment, webhook } = await setUp({ types: ['certificate.issued', 'certificate.expiring'] });
      const domain = await verify(store, environment);
      const [due] = await store.claimCertificates({ now: NOW, limit: 1, leaseMs: LEASE_MS, newNames: true });
      if (due === undefined) throw new Error('no certificate was due');
      const issued = anIssuedCertificate({ notBefore: NOW, notAfter: NOW + 90 * DAY_MS });
      await store.saveCertificate(aSave(due, { state: 'issued', issued, orderOutcome: undefined }));
      const certificate = {
        state: 'issued',
        reason: null,
        message: null,
        issuer: issued.issuer,
        notAfter: issued.notAfter,
      };
      const first = await one();
      expect(first).toMatchObject({ type: 'certificate.issued', webhookId: webhook.id });
      expect(first.message).toEqual({ domain, actor: null, certificate });
      await save([aDeliveryResult(first)]);
      expect(await store.recordExpiring(NOW + 81 * DAY_MS - 1, 9)).toBe(0);
      expect(await store.recordExpiring(NOW + 81 * DAY_MS, 9)).toBe(1);
      expect(await store.recordExpiring(NOW + 89 * DAY_MS, 9)).toBe(0);
      const second = await one(NOW + 81 * DAY_MS);
      expect(second).toMatchObject({ type: 'certificate.expiring', message: { domain, certificate } });
      expect((await timelineOf(store, domain)).at(-1)).toMatchObject({
        type: 'certificate.expiring',
        data: { certificate },
      });
    });

    it('has no event of other workspaces, of types that a webhook does not subscribe to, or from while it is disabled', async () => {
      const { store } = subject;
      const { environment, workspace, webhook } = await setUp({ types: ['record.lost'] });
      const other = await subject.plant();
      await attach(store, other.environment);
      const domain = await flip(await flip(await attach(store, environment), NOW), NOW);
      const [due] = await claim();
      expect(due).toMatchObject({ type: 'record.lost' });
      await save([aDeliveryResult(due as DueDelivery)]);
      await store.updateWebhook(workspace.id, webhook.id, { enabled: false, types: null }, NOW);
      const missed = await flip(domain, NOW);
      await store.updateWebhook(workspace.id, webhook.id, { enabled: true }, NOW);
      await flip(missed, NOW);
      expect(await typesDelivered()).toEqual(['record.lost']);
    });

    it('has nothing of a change that was not saved', async () => {
      const { environment } = await setUp();
      const domain = await attach(subject.store, environment);
      const now = NOW + 1;
      const after = verifiedAt(domain, now);
      await save([aDeliveryResult(await one())]);
      const both = [after, failedAt(domain, now)].map((each) =>
        subject.store.saveTransition({ before: domain, after: each, memory: NO_MEMORY, now }),
      );
      expect((await Promise.all(both)).toSorted()).toEqual(['saved', 'stale']);
      const types = await typesDelivered(now);
      expect([['domain.failed'], ['record.seen', 'record.seen', 'domain.verified']]).toContainEqual(types);
    });
  });

  describe('deliveries about one domain', () => {
    it('that are added while one is saved are not left behind', async () => {
      const { environment } = await setUp();
      for (let round = 0; round < 20; round++) {
        const domain = await attach(subject.store, environment);
        const due = await one();
        const finish = () => save([aDeliveryResult(due)]);
        const change = () => flip(domain, NOW);
        await Promise.all(round % 2 === 0 ? [finish(), change()] : [change(), finish()]);
        expect(await typesDelivered()).toEqual(['record.seen']);
      }
    });
  });

  describe('a claim of deliveries', () => {
    it('expires, so that a crash delays a delivery by the lease; what the first claim saves is ignored then', async () => {
      const { environment } = await setUp();
      await attach(subject.store, environment);
      const lost = await one();
      expect(await claim({ now: NOW + LEASE_MS - 1 })).toEqual([]);
      const again = await one(NOW + LEASE_MS);
      expect(again).toMatchObject({ deliveryId: lost.deliveryId, attempts: 0 });
      await save([aDeliveryResult(lost)], NOW + LEASE_MS);
      expect(await claim({ now: NOW + LEASE_MS })).toEqual([]);
      await save([aDeliveryResult(again)], NOW + LEASE_MS);
      expect(await claim({ now: NOW + 9 * LEASE_MS })).toEqual([]);
    });

    it('takes of each webhook the most overdue first, however much others have', async () => {
      const { store } = subject;
      const [a, b] = [await setUp(), await setUp()];
      for (let i = 0; i < 6; i++) await attach(store, a.environment, { createdAt: NOW - 100 + i });
      for (let i = 0; i < 2; i++) await attach(store, b.environment, { createdAt: NOW - 50 + i });
      const due = await claim({ limit: 5 });
      const names = new Map([
        [a.webhook.id, 'a'],
        [b.webhook.id, 'b'],
      ]);
      expect(due.map(({ webhookId, happenedAt }) => [names.get(webhookId), happenedAt - NOW])).toEqual([
        ['a', -100],
        ['b', -50],
        ['a', -99],
        ['b', -49],
        ['a', -98],
      ]);
    });

    it('is of the enabled webhooks with anything due, each with the time since when', async () => {
      const { store } = subject;
      const [a, b, off] = [await setUp(), await setUp(), await setUp()];
      for (const { environment } of [a, b, off]) await attach(store, environment, { createdAt: NOW - 7 });
      await store.updateWebhook(off.workspace.id, off.webhook.id, { enabled: false }, NOW);
      for (const due of await claim({ limit: 1 })) await save([aDeliveryResult(due, retryAt(NOW + 9))]);
      const webhooks = (now: number) =>
        store.findDueWebhooks(now).then((due) => due.toSorted((one, other) => one.dueAt - other.dueAt));
      const [waiting] = await webhooks(NOW);
      expect(await webhooks(NOW)).toEqual([
        { webhookId: expect.any(String), due: 1, dueAt: NOW - 7, isFailing: false },
      ]);
      const failing = waiting?.webhookId === a.webhook.id ? b.webhook.id : a.webhook.id;
      expect(await webhooks(NOW + 9)).toEqual([
        waiting,
        { webhookId: failing, due: 1, dueAt: NOW + 9, isFailing: true },
      ]);
    });
  });

  describe('a webhook that fails', () => {
    const fail = async (now: number, rule: Partial<FailingRule> = {}) =>
      save([aDeliveryResult(await one(now), { ...retryAt(now + 10), at: now })], now, rule);

    it('does so since its first failed attempt after the last delivery', async () => {
      const { environment, workspace, webhook } = await setUp();
      await attach(subject.store, environment);
      const failingSince = async () => (await subject.store.findWebhook(workspace.id, webhook.id))?.failingSince;
      await fail(NOW);
      await fail(NOW + 10);
      expect(await failingSince()).toBe(NOW);
      expect(await subject.store.deliveryBacklog()).toMatchObject({ waiting: 1, oldestAt: NOW, failingWebhooks: 1 });
      await save([aDeliveryResult(await one(NOW + 20))], NOW + 20);
      expect(await failingSince()).toBeNull();
      expect(await subject.store.deliveryBacklog()).toMatchObject({ waiting: 0, oldestAt: null, failingWebhooks: 0 });
    });

    it('is disabled when an event is given up, if it has failed for as long as the caller says, to the millisecond', async () => {
      const { store } = subject;
      const { environment, workspace, webhook } = await setUp();
      for (let i = 0; i < 3; i++) await attach(store, environment, { createdAt: NOW + i });
      const leases = await claim({ now: NOW + 9 });
      const [first, second, third] = leases.map((due) => aDeliveryResult(due, { outcome: { kind: 'failed' } }));
      const days = (ms: number) => ({ disableIfFailingSince: NOW + ms });
      expect(await save([{ ...(first as DeliveryResult), ...retryAt(NOW + 99) }], NOW + 10, days(10))).toEqual({
        disabled: [],
      });
      expect(await save([second as DeliveryResult], NOW + 20, days(9))).toEqual({ disabled: [] });
      expect(await save([third as DeliveryResult], NOW + 21, days(10))).toEqual({ disabled: [webhook.id] });
      expect(await store.findWebhook(workspace.id, webhook.id)).toMatchObject({
        disabledAt: NOW + 21,
        disabledReason: 'failing',
        failingSince: NOW + 10,
      });
      expect(await store.deliveryBacklog()).toMatchObject({ failingWebhooks: 0, disabledWebhooks: 1 });
    });

    it('has nothing due while it is disabled; enabled again, all that waits is due at once', async () => {
      const { store } = subject;
      const { environment, workspace, webhook } = await setUp();
      await flip(await attach(store, environment, { createdAt: NOW - 1 }), NOW);
      await attach(store, environment);
      const leased = (await claim({ limit: 1 }))[0] as DueDelivery;
      await store.updateWebhook(workspace.id, webhook.id, { enabled: false }, NOW);
      expect(await claim()).toEqual([]);
      await save([aDeliveryResult(leased)]);
      expect(await claim()).toEqual([]);
      expect(await claim()).toEqual([]);
      expect(await store.deliveryBacklog()).toMatchObject({ waiting: 0, oldestAt: null, disabledWebhooks: 1 });
      await store.updateWebhook(workspace.id, webhook.id, { enabled: true }, NOW + 5);
      const due = await claim({ now: NOW + 5 });
      expect(await store.deliveryBacklog()).toMatchObject({ waiting: 2, oldestAt: NOW, disabledWebhooks: 0 });
      expect(due.map(({ type }) => type).toSorted()).toEqual(['domain.created', 'record.seen']);
    });

    it('that is deleted has nothing due, and what it was being sent is forgotten', async () => {
      const { store } = subject;
      const { environment, workspace, webhook } = await setUp();
      await flip(await attach(store, environment), NOW);
      await attach(store, environment);
      const [leased] = await claim({ limit: 1 });
      await store.deleteWebhook(workspace.id, webhook.id);
      expect(await claim()).toEqual([]);
      expect(await save([aDeliveryResult(leased as DueDelivery, retryAt(NOW))])).toEqual({ disabled: [] });
      expect(await claim()).toEqual([]);
      expect(await claim()).toEqual([]);
      expect(await store.deliveryBacklog()).toMatchObject({ waiting: 0 });
      expect((await store.listDeliveries(workspace.id, webhook.id, { limit: 9 })).items).toEqual([]);
    });
  });

  describe('the log of deliveries', () => {
    it('says what became of each, newest first, page by page', async () => {
      const { store } = subject;
      const { environment, workspace, webhook } = await setUp();
      const domain = await flip(await flip(await attach(store, environment), NOW), NOW + 1);
      const first = await one(NOW + 1);
      await save([aDeliveryResult(first, { at: NOW + 1 })], NOW + 2);
      await save([aDeliveryResult(await one(NOW + 2), { ...retryAt(NOW + 60), at: NOW + 3 })], NOW + 4);
      const list = (limit: number, cursor?: string) =>
        store.listDeliveries(workspace.id, webhook.id, { limit, cursor });
      const page = await list(2);
      const about = { webhookId: webhook.id, domainId: domain.id, domainName: domain.name };
      expect(page.items).toEqual([
        {
          ...about,
          id: expect.stringMatching(/^dlv_/),
          eventId: expect.stringMatching(/^evt_/),
          type: 'record.lost',
          state: 'waiting',
          attempts: 0,
          lastAttempt: null,
          nextAttemptAt: null,
          happenedAt: NOW + 1,
          createdAt: NOW + 1,
          finishedAt: null,
        },
        {
          ...about,
          id: expect.any(String),
          eventId: expect.any(String),
          type: 'record.seen',
          state: 'waiting',
          attempts: 1,
          lastAttempt: {
            at: NOW + 3,
            durationMs: 12,
            status: 500,
            error: expect.stringMatching('500'),
            response: null,
          },
          nextAttemptAt: NOW + 60,
          happenedAt: NOW,
          createdAt: NOW,
          finishedAt: null,
        },
      ]);
      expect((await list(9, page.next)).items).toMatchObject([
        { id: first.deliveryId, type: 'domain.created', state: 'delivered', attempts: 1, finishedAt: NOW + 2 },
      ]);
      const failed = page.items[1]?.id ?? '';
      expect(await store.findDelivery(workspace.id, webhook.id, failed)).toEqual({
        ...page.items[1],
        lastAttempt: { ...page.items[1]?.lastAttempt, response: 'oops' },
      });
      const other = await subject.plant();
      expect(await store.findDelivery(other.workspace.id, webhook.id, failed)).toBeNull();
      expect((await store.listDeliveries(other.workspace.id, webhook.id, { limit: 9 })).items).toEqual([]);
    });

    it('says that one was given up without an attempt', async () => {
      const { store } = subject;
      const { environment, workspace, webhook } = await setUp();
      await attach(store, environment);
      await save([aDeliveryResult(await one(), retryAt(NOW + 10))]);
      const due = await one(NOW + 10);
      await save([aDeliveryResult(due, { outcome: { kind: 'failed' }, attempt: null })], NOW + 11);
      expect(await store.findDelivery(workspace.id, webhook.id, due.deliveryId)).toMatchObject({
        state: 'failed',
        attempts: 1,
        lastAttempt: { at: NOW, status: 500 },
        finishedAt: NOW + 11,
      });
    });

    it('is pruned from the oldest on, so many at a time', async () => {
      const { store } = subject;
      const { environment, workspace, webhook } = await setUp();
      // Older than everything that other tests leave in the store.
      while ((await store.pruneDeliveries(NOW + 100 * DAY_MS, 500)) > 0);
      for (let i = 0; i < 4; i++) await attach(store, environment, { createdAt: NOW + i });
      expect(await store.pruneDeliveries(NOW + 2, 1)).toBe(1);
      expect(await store.pruneDeliveries(NOW + 2, 9)).toBe(1);
      expect(await store.pruneDeliveries(NOW + 2, 9)).toBe(0);
      expect((await store.listDeliveries(workspace.id, webhook.id, { limit: 9 })).items).toHaveLength(2);
      expect((await claim({ now: NOW + 9 })).map(({ happenedAt }) => happenedAt - NOW).toSorted()).toEqual([2, 3]);
    });

    it('is pruned of what is old, also behind what is younger and was added before', async () => {
      const { store } = subject;
      const { environment } = await setUp();
      while ((await store.pruneDeliveries(NOW + 100 * DAY_MS, 500)) > 0);
      for (const createdAt of [NOW + 1, NOW + 2, NOW]) await attach(store, environment, { createdAt });
      expect(await store.pruneDeliveries(NOW + 1, 1)).toBe(1);
      expect(await store.pruneDeliveries(NOW + 1, 1)).toBe(0);
    });
  });

  describe('a test, and a repetition,', () => {
    const state = async (webhook: Webhook, id: string) =>
      (await subject.store.findDelivery(webhook.workspaceId, webhook.id, id))?.state;

    it('of a test: is due at once, whatever waits and whatever the webhook subscribes to', async () => {
      const { store } = subject;
      const { environment, workspace, webhook } = await setUp({ types: ['domain.created'] });
      await attach(store, environment);
      await save([aDeliveryResult(await one(), retryAt(NOW + 1000))]);
      const test = await store.addTestDelivery(workspace.id, webhook.id, NOW + 1);
      const due = await one(NOW + 1);
      expect(test).toEqual({ kind: 'added', deliveryId: due.deliveryId });
      expect(due).toMatchObject({ type: 'webhook.test', message: null, domainId: null, happenedAt: NOW + 1 });
      await save([aDeliveryResult(due)], NOW + 1);
      expect(await state(webhook, due.deliveryId)).toBe('delivered');
    });

    it('of a repetition: has the id of the event, and neither waits for others nor makes them wait', async () => {
      const { store } = subject;
      const { environment, workspace, webhook } = await setUp();
      await flip(await attach(store, environment), NOW);
      const first = await one();
      await save([aDeliveryResult(first, { outcome: { kind: 'failed' } })]);
      const again = await store.redeliver(workspace.id, webhook.id, first.deliveryId, NOW + 5);
      const due = await claim({ now: NOW + 5 });
      const repeated = due.find(({ type }) => type === 'domain.created') as DueDelivery;
      expect(due.map(({ type }) => type).toSorted()).toEqual(['domain.created', 'record.seen']);
      expect(again).toEqual({ kind: 'added', deliveryId: repeated.deliveryId });
      expect(repeated.deliveryId).not.toBe(first.deliveryId);
      const { eventId, message, happenedAt, domainId } = first;
      expect(repeated).toMatchObject({ eventId, message, happenedAt, domainId, waitingSince: NOW + 5, attempts: 0 });
      await save(
        due.map((each) => aDeliveryResult(each)),
        NOW + 5,
      );
      expect(await state(webhook, first.deliveryId)).toBe('failed');
      expect(await state(webhook, repeated.deliveryId)).toBe('delivered');
    });

    it('goes before everything else that is due for the webhook', async () => {
      const { store } = subject;
      const { environment, workspace, webhook } = await setUp();
      for (let i = 0; i < 3; i++) await attach(store, environment, { createdAt: NOW - 1000 + i });
      const idOf = (outcome: AddedDelivery) => (outcome.kind === 'added' ? outcome.deliveryId : outcome.kind);
      const next = async () => {
        const [due] = await claim({ limit: 1 });
        if (due === undefined) throw new Error('nothing was due');
        return due;
      };
      const first = await next();
      await save([aDeliveryResult(first, { outcome: { kind: 'failed' } })]);
      const retried = await next();
      await save([aDeliveryResult(retried, retryAt(NOW + 1000))]);

      const test = await store.addTestDelivery(workspace.id, webhook.id, NOW);
      expect(await next()).toMatchObject({ deliveryId: idOf(test) });
      const again = await store.redeliver(workspace.id, webhook.id, first.deliveryId, NOW);
      expect(await next()).toMatchObject({ deliveryId: idOf(again) });
      await store.redeliver(workspace.id, webhook.id, retried.deliveryId, NOW);
      expect(await store.findDelivery(workspace.id, webhook.id, retried.deliveryId)).toMatchObject({
        nextAttemptAt: NOW - 999,
      });
      expect(await next()).toMatchObject({ deliveryId: retried.deliveryId, attempts: 1 });
    });

    it('of one that waits: makes it due at once', async () => {
      const { store } = subject;
      const { environment, workspace, webhook } = await setUp();
      await attach(store, environment);
      const due = await one();
      const again = () => store.redeliver(workspace.id, webhook.id, due.deliveryId, NOW + 1);
      expect(await again()).toEqual({ kind: 'added', deliveryId: due.deliveryId });
      expect(await claim({ now: NOW + 1 })).toEqual([]);
      await save([aDeliveryResult(due, retryAt(NOW + 1000))]);
      expect(await again()).toEqual({ kind: 'added', deliveryId: due.deliveryId });
      expect(await one(NOW + 1)).toMatchObject({ deliveryId: due.deliveryId, attempts: 1 });
    });

    it('is of a webhook that is there and enabled', async () => {
      const { store } = subject;
      const { environment, workspace, webhook } = await setUp();
      const other = await subject.plant();
      await attach(store, environment);
      const { deliveryId } = await one();
      const both = async (workspaceId: string, id: string) => [
        (await store.addTestDelivery(workspaceId, webhook.id, NOW)).kind,
        (await store.redeliver(workspaceId, webhook.id, id, NOW)).kind,
      ];
      expect(await both(other.workspace.id, deliveryId)).toEqual(['missing', 'missing']);
      expect((await store.redeliver(workspace.id, webhook.id, 'dlv_none', NOW)).kind).toBe('missing');
      await store.updateWebhook(workspace.id, webhook.id, { enabled: false }, NOW);
      expect(await both(workspace.id, deliveryId)).toEqual(['disabled', 'disabled']);
    });
  });
}
