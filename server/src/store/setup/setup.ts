import type { Brand } from '../../domain/brand.ts';
import { findWorkspace } from '../access/access.ts';
import { ofWorkspace, storableActor } from '../audit/entries.ts';
import { logChange } from '../cache/change-log.ts';
import { findDomainById } from '../domain/domains.ts';
import { defineChange, isFound, isOutcome, isTrue } from '../engine/change.ts';
import { type PageSlots, paged, pageSlots } from '../engine/paging.ts';
import { columnsOf, pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_LOCKS, NO_SECRET } from '../engine/write.ts';
import type { FoundSetupLink, PageRequest, SetupLink, SetupPage } from '../store.ts';

async function createSetupLink(tx: Transaction, link: SetupLink, tokenHash: Uint8Array, limit: number) {
  const { workspaceId, domainId, createdAt } = link;
  if ((await findDomainById(tx, workspaceId, domainId)) === null) return 'domain_missing';
  const working = await tx.one(countWorking, { domainId, at: createdAt });
  if (working !== null && working.count >= limit) return 'limit';
  await tx.execute(insertLink, { ...link, createdBy: storableActor(link.createdBy), hash: tokenHash });
  return 'created';
}

export async function findSetupLinkByToken(reader: Reader, tokenHash: Uint8Array): Promise<FoundSetupLink | null> {
  return reader.one(selectLinkByHash, { hash: tokenHash });
}

export async function findSetupLink(reader: Reader, linkId: string): Promise<FoundSetupLink | null> {
  return reader.one(selectLinkById, { id: linkId });
}

export async function listSetupLinks(reader: Reader, workspaceId: string, domainId: string, page: PageRequest) {
  return paged(await reader.all(selectLinks, { workspaceId, domainId, ...pageSlots(page) }), page);
}

async function revokeSetupLink(tx: Transaction, linkId: string, revokedAt: number): Promise<boolean> {
  const isFound = (await tx.execute(revokeLink, { id: linkId, at: revokedAt, by: storableActor(tx.actor) })) > 0;
  if (isFound) logChange(tx, 'setup_link', linkId);
  return isFound;
}

export async function pruneSetupLinks(tx: Transaction, before: number, limit: number): Promise<number> {
  return tx.execute(deleteExpired, { before, limit });
}

export const setupLinkChanges = {
  createSetupLink: defineChange({
    perform: createSetupLink,
    // The domain, for the number of its links.
    locks: ({ domainId }) => [domainId],
    audit: {
      targets: (_, { id, workspaceId, domainId, purpose, expiresAt }) => [
        { workspaceId, target: id, detail: { domainId, purpose, expiresAt } },
      ],
      isMade: isOutcome('created'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  revokeSetupLink: defineChange({
    perform: revokeSetupLink,
    locks: NO_LOCKS,
    audit: {
      async targets(tx, id) {
        const link = await findSetupLink(tx, id);
        return link === null ? [] : [{ ...link, target: id, detail: { domainId: link.domainId } }];
      },
      isMade: isTrue,
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

const TIMES = ['createdAt', 'expiresAt', 'revokedAt'] as const;
const LINK = ['id', 'workspaceId', 'domainId', 'purpose', ...TIMES, 'createdBy', 'revokedBy'] as const;

/** The links of a domain that work. */
export function countWorking(db: Tables, p: { domainId: string; at: number }) {
  return db
    .selectFrom('setupLinks')
    .where('domainId', '=', p.domainId)
    .where('expiresAt', '>', p.at)
    .where('revokedAt', 'is', null)
    .select((of) => of.fn.countAll<number>().as('count'));
}

function insertLink(db: Tables, p: SetupLink & { hash: Uint8Array }) {
  return db.insertInto('setupLinks').values(pick(p, [...LINK, 'hash']));
}

function selectFound(db: Tables) {
  return db
    .selectFrom('setupLinks')
    .innerJoin('domains', 'domains.id', 'setupLinks.domainId')
    .select(columnsOf('setupLinks', LINK))
    .select(['domains.name as domainName', 'domains.environmentId']);
}

function selectLinkByHash(db: Tables, p: { hash: Uint8Array }) {
  return selectFound(db).where('setupLinks.hash', '=', p.hash);
}

function selectLinkById(db: Tables, p: { id: string }) {
  return selectFound(db).where('setupLinks.id', '=', p.id);
}

function selectLinks(db: Tables, p: PageSlots & { workspaceId: string; domainId: string }) {
  return db
    .selectFrom('setupLinks')
    .where('domainId', '=', p.domainId)
    .where('workspaceId', '=', p.workspaceId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(p.rows)
    .select(LINK);
}

/** Keeps the first revocation. */
function revokeLink(db: Tables, p: { id: string; at: number; by: string | null }) {
  return db
    .updateTable('setupLinks')
    .where('id', '=', p.id)
    .set((of) => ({
      revokedAt: of.fn.coalesce('revokedAt', of.val(p.at)),
      revokedBy: of.case().when('revokedAt', 'is', null).then(of.val(p.by)).else(of.ref('revokedBy')).end(),
    }));
}

function deleteExpired(db: Tables, p: { before: number; limit: number }) {
  return db
    .deleteFrom('setupLinks')
    .where('id', 'in', (of) =>
      of.selectFrom('setupLinks').where('expiresAt', '<', p.before).orderBy('expiresAt').limit(p.limit).select('id'),
    );
}

export async function findSetupPage(reader: Reader, workspaceId: string): Promise<SetupPage> {
  const row = await reader.one(selectPage, { workspaceId });
  return row === null ? { brand: {}, origins: [] } : { brand: JSON.parse(row.brand), origins: JSON.parse(row.origins) };
}

/** Null: it has none. */
export async function findBrand(reader: Reader, workspaceId: string): Promise<Brand | null> {
  const { brand } = await findSetupPage(reader, workspaceId);
  return Object.keys(brand).length === 0 ? null : brand;
}

async function saveSetupPage(
  tx: Transaction,
  workspaceId: string,
  change: Partial<SetupPage>,
): Promise<SetupPage | null> {
  if ((await findWorkspace(tx, workspaceId)) === null) return null;
  const before = await findSetupPage(tx, workspaceId);
  const after = { brand: change.brand ?? before.brand, origins: [...new Set(change.origins ?? before.origins)] };
  const row = { workspaceId, brand: JSON.stringify(after.brand), origins: JSON.stringify(after.origins) };
  await tx.execute(upsertPage, row);
  if (change.origins !== undefined) {
    await tx.execute(deleteOrigins, { workspaceId });
    for (const origin of after.origins) await tx.execute(insertOrigin, { workspaceId, origin });
  }
  logChange(tx, 'workspace', workspaceId);
  return after;
}

export async function isSetupOrigin(reader: Reader, origin: string): Promise<boolean> {
  return (await reader.one(selectOrigin, { origin })) !== null;
}

export const setupPageChanges = {
  saveSetupPage: defineChange({
    perform: saveSetupPage,
    locks: (workspaceId) => [workspaceId],
    audit: { targets: (_, id, change) => [ofWorkspace(id, { changed: Object.keys(change) })], isMade: isFound },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

function selectPage(db: Tables, p: { workspaceId: string }) {
  return db.selectFrom('setupPages').where('workspaceId', '=', p.workspaceId).select(['brand', 'origins']);
}

function upsertPage(db: Tables, p: { workspaceId: string; brand: string; origins: string }) {
  return db
    .insertInto('setupPages')
    .values(pick(p, ['workspaceId', 'brand', 'origins']))
    .onConflict((on) => on.column('workspaceId').doUpdateSet(pick(p, ['brand', 'origins'])));
}

function deleteOrigins(db: Tables, p: { workspaceId: string }) {
  return db.deleteFrom('setupOrigins').where('workspaceId', '=', p.workspaceId);
}

function insertOrigin(db: Tables, p: { workspaceId: string; origin: string }) {
  return db.insertInto('setupOrigins').values({ origin: p.origin, workspaceId: p.workspaceId });
}

function selectOrigin(db: Tables, p: { origin: string }) {
  return db.selectFrom('setupOrigins').where('origin', '=', p.origin).limit(1).select('origin');
}
