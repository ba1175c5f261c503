import { afterEach, describe, expect, it } from 'vitest';
import { createKeyring } from '../../server/src/store/sealing/keyring.ts';
import { rotateSecrets } from '../../server/src/store/sealing/rotation.ts';
import { sealedStore } from '../../server/src/store/sealing/sealed-store.ts';
import { SealingUnavailable, type Webhook, type WebhookSecret } from '../../server/src/store/store.ts';
import { attach, NOW, plant } from '../support/entities.ts';
import { addWebhook, aWebhook, aWebhookSecret, claimDue } from '../support/webhooks.ts';
import type { Subject } from './subject.ts';

export function describeWebhooks(subject: Subject): void {
  const added: Webhook[] = [];
  const add = async (about: Partial<Webhook> & Pick<Webhook, 'workspaceId'>, secret?: WebhookSecret) => {
    const webhook = await addWebhook(subject.store, about, secret);
    added.push(webhook);
    return webhook;
  };
  afterEach(async () => {
    for (const { workspaceId, id } of added.splice(0)) await subject.store.deleteWebhook(workspaceId, id);
  });

  describe('webhooks', () => {
    it('of one workspace are no more than the limit, of several that are created at once too', async () => {
      const { workspace } = await subject.plant();
      const outcomes = await Promise.all(
        [1, 2, 3, 4, 5].map(async () => {
          const webhook = aWebhook({ workspaceId: workspace.id });
          const outcome = await subject.store.createWebhook(webhook, aWebhookSecret(), 3);
          if (outcome === 'created') added.push(webhook);
          return outcome;
        }),
      );
      expect(outcomes.toSorted()).toEqual(['created', 'created', 'created', 'limit', 'limit']);
    });

    it('sign with one secret, after a rotation with both until the first expires, and never with a third', async () => {
      const { store } = subject;
      const { environment, workspace } = await subject.plant();
      const [first, second, third] = [aWebhookSecret(), aWebhookSecret(), aWebhookSecret()];
      const webhook = await add({ workspaceId: workspace.id }, first);
      await attach(store, environment);
      const secretsAt = async (now: number) => {
        const [due] = await claimDue(store, { now, leaseMs: 1 });
        return due?.secrets;
      };
      const pairs = (...secrets: WebhookSecret[]) => secrets.map(({ id, secret }) => ({ id, secret }));
      const rotate = (secret: WebhookSecret, until: number) =>
        store.rotateWebhookSecret(workspace.id, webhook.id, secret, until);
      expect(await secretsAt(NOW)).toEqual(pairs(first));
      expect(await rotate(second, NOW + 100)).toBe('rotated');
      expect(await secretsAt(NOW + 99)).toEqual(pairs(second, first));
      expect(await secretsAt(NOW + 100)).toEqual(pairs(second));
      expect(await rotate(third, NOW + 300)).toBe('rotated');
      expect(await secretsAt(NOW + 200)).toEqual(pairs(third, second));
    });

    it('have secrets that a rotation of the sealing keys seals again', async () => {
      const opened = await subject.open();
      const ring = (...fills: string[]) =>
        createKeyring({ name: 'the test', keys: () => fills.map((fill) => new Uint8Array(Buffer.alloc(32, fill))) });
      const { environment, workspace } = await plant(opened.store);
      const secret = aWebhookSecret();
      await addWebhook(sealedStore(opened.store, ring('old')), { workspaceId: workspace.id }, secret);
      await attach(opened.store, environment);
      const read = async (keyring: ReturnType<typeof ring>, now: number) =>
        (await claimDue(sealedStore(opened.store, keyring), { now, leaseMs: 1 }))[0]?.secrets;
      expect(await read(ring('new'), NOW)).toEqual([]);
      expect(await rotateSecrets(opened.store, ring('new', 'old'))).toBe(1);
      expect(await read(ring('new'), NOW + 9)).toEqual([{ id: secret.id, secret: secret.secret }]);
      await opened.close();
    });

    it('have secrets that are in a sealed store as plaintext nowhere, and without a key neither stored nor returned', async () => {
      const opened = await subject.open();
      const ring = createKeyring({ name: 'the test', keys: () => [new Uint8Array(32)] });
      const empty = createKeyring({ name: 'the test', keys: () => [] });
      const store = sealedStore(opened.store, ring);
      const { environment, workspace } = await plant(opened.store);
      const secret = aWebhookSecret();
      const webhook = await addWebhook(store, { workspaceId: workspace.id }, secret);
      await attach(store, environment);
      const [due] = await claimDue(store, { leaseMs: 1 });
      expect(due?.secrets).toEqual([{ id: secret.id, secret: secret.secret }]);
      expect(await opened.contains(secret.secret)).toBe(false);
      const keyless = sealedStore(opened.store, empty);
      const [unreadable] = await claimDue(keyless, { now: NOW + 9 });
      expect(unreadable?.secrets).toEqual([]);
      const other = aWebhook({ workspaceId: workspace.id });
      await expect(keyless.createWebhook(other, aWebhookSecret(), 9)).rejects.toThrow(SealingUnavailable);
      expect(await store.findWebhook(workspace.id, other.id)).toBeNull();
      await expect(keyless.rotateWebhookSecret(workspace.id, webhook.id, aWebhookSecret(), NOW)).rejects.toThrow(
        /nameplate sealing key/,
      );
      await opened.close();
    });
  });
}
