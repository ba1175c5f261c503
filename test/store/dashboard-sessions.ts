import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { DashboardSession } from '../../server/src/store/store.ts';
import * as entities from '../support/entities.ts';
import type { Subject } from './subject.ts';

const { NOW } = entities;
const OPENED = { openedAt: NOW + 1, expiresAt: NOW + 100 };

export function describeDashboardSessions(subject: Subject): void {
  /** A session that was not opened, with the hash of its link. */
  async function begin(about: Partial<DashboardSession> = {}) {
    const { workspace } = await subject.plant();
    const session: DashboardSession = {
      id: entities.newId('ses'),
      workspaceId: workspace.id,
      subject: 'ada',
      permissions: ['environment.*.read_domain'],
      createdAt: NOW,
      openedAt: null,
      expiresAt: NOW + 10,
      ...about,
    };
    const linkHash = randomBytes(32);
    expect(await subject.store.createDashboardSession(session, linkHash)).toBe('created');
    return { session, linkHash };
  }

  const open = (linkHash: Uint8Array, about: Partial<typeof OPENED> = {}) => {
    const secretHash = randomBytes(32);
    const opened = subject.store.openDashboardSession(linkHash, { secretHash, ...OPENED, ...about });
    return opened.then((session) => ({ session, secretHash }));
  };

  describe('sessions of the dashboard', () => {
    it('need a workspace', async () => {
      const { session } = await begin();
      const other = { ...session, id: 'ses_other', workspaceId: 'ws_missing' };
      expect(await subject.store.createDashboardSession(other, randomBytes(32))).toBe('workspace_missing');
    });

    it('are opened by their link once, and found by their secret alone from then on', async () => {
      const { session, linkHash } = await begin();
      const results = await Promise.all([open(linkHash), open(linkHash)]);
      const [first] = results.filter((result) => result.session !== null);
      expect(results.filter((result) => result.session !== null)).toHaveLength(1);
      expect(first?.session).toEqual({ ...session, ...OPENED });
      expect(await subject.store.findDashboardSessionByHash(linkHash)).toBeNull();
      expect(await subject.store.findDashboardSessionByHash(first?.secretHash ?? linkHash)).toEqual(first?.session);
    });

    it('are not opened by a link that has expired', async () => {
      const { session, linkHash } = await begin();
      expect(await open(linkHash, { openedAt: session.expiresAt })).toMatchObject({ session: null });
    });

    it('end one by one, or all of a person, and each end is logged', async () => {
      const { session } = await begin();
      const { workspaceId } = session;
      const { latest } = await subject.store.changesSince(0);
      expect(await subject.store.endDashboardSession(session.id)).toBe(true);
      expect(await subject.store.endDashboardSession(session.id)).toBe(false);
      const [mine, other] = [await begin({ workspaceId }), await begin({ workspaceId, subject: 'grace' })];
      expect(await subject.store.endDashboardSessions(workspaceId, 'ada')).toBe(1);
      expect(await subject.store.findDashboardSession(other.session.id)).toEqual(other.session);
      expect(await subject.store.endDashboardSessions(workspaceId, null)).toBe(1);
      const { changes } = await subject.store.changesSince(latest);
      const ended = changes.filter(({ kind }) => kind === 'dashboard_session').map(({ key }) => key);
      expect(ended).toEqual([session.id, mine.session.id, other.session.id]);
    });

    it('go with their workspace, and when they have expired', async () => {
      const empty = entities.aWorkspace();
      await subject.store.createWorkspace(empty);
      const workspaceId = empty.id;
      const { session } = await begin({ workspaceId });
      const { session: old } = await begin();
      expect(await subject.store.deleteWorkspace(workspaceId)).toBe('deleted');
      expect(await subject.store.findDashboardSession(session.id)).toBeNull();
      await subject.store.pruneDashboardSessions(old.expiresAt, 10);
      expect(await subject.store.findDashboardSession(old.id)).toEqual(old);
      await subject.store.pruneDashboardSessions(old.expiresAt + 1, 10);
      expect(await subject.store.findDashboardSession(old.id)).toBeNull();
    });
  });
}
