import type { Migration } from 'kysely/migration';
import { initial } from './0001-initial.ts';
import { signingKeys } from './0002-signing-keys.ts';
import { requestCounts } from './0003-request-counts.ts';
import { certificates } from './0004-certificates.ts';
import { monitoring } from './0005-monitoring.ts';
import { domainTokens } from './0006-domain-tokens.ts';
import { workspaceLists } from './0007-workspace-lists.ts';
import { idempotencyKeys } from './0008-idempotency-keys.ts';
import { webhooks } from './0009-webhooks.ts';
import { setupLinks } from './0010-setup-links.ts';
import { webhookUpkeep } from './0011-webhook-upkeep.ts';
import { setupLinkActors } from './0012-setup-link-actors.ts';
import { deliveryStates } from './0013-delivery-states.ts';
import { inheritedCertificates } from './0014-inherited-certificates.ts';
import { redirects } from './0015-redirects.ts';
import { deletedDomains } from './0016-deleted-domains.ts';
import { suspensions } from './0017-suspensions.ts';
import { audit } from './0018-audit.ts';
import { waitingCertificates } from './0019-waiting-certificates.ts';
import { suspendedNames } from './0020-suspended-names.ts';
import { webhookQueue } from './0021-webhook-queue.ts';
import type { ColumnTypes } from './column-types.ts';

/** Every migration, oldest first by name. A migration that has been released is never changed: add another. */
export function allMigrations(types: ColumnTypes): Record<string, Migration> {
  return {
    '0001-initial': initial(types),
    '0002-signing-keys': signingKeys(types),
    '0003-request-counts': requestCounts(types),
    '0004-certificates': certificates(types),
    '0005-monitoring': monitoring(types),
    '0006-domain-tokens': domainTokens(),
    '0007-workspace-lists': workspaceLists(),
    '0008-idempotency-keys': idempotencyKeys(types),
    '0009-webhooks': webhooks(types),
    '0010-setup-links': setupLinks(types),
    '0011-webhook-upkeep': webhookUpkeep(types),
    '0012-setup-link-actors': setupLinkActors(types),
    '0013-delivery-states': deliveryStates(),
    '0014-inherited-certificates': inheritedCertificates(types),
    '0015-redirects': redirects(types),
    '0016-deleted-domains': deletedDomains(types),
    '0017-suspensions': suspensions(types),
    '0018-audit': audit(types),
    '0019-waiting-certificates': waitingCertificates(),
    '0020-suspended-names': suspendedNames(types),
    '0021-webhook-queue': webhookQueue(types),
  };
}
