import type { DnsServer } from '../../config/config.ts';
import type { DomainStore } from '../../store/contract/domain-store.ts';
import { messageOf } from '../cli-error.ts';
import { type DoctorResult, fail, warn } from './doctor-result.ts';
import { addressesOf } from './examine-edge.ts';

interface TargetsToExamine {
  resolvers: readonly DnsServer[];
  cnameZone: string;
  /** Whether this process is an edge, to which targets have to lead. */
  isEdge: boolean;
  database: { open(): Promise<Pick<DomainStore, 'findTargetOutside'> & { close(): Promise<void> }> };
}

/** Domains keep their targets when the CNAME zone is changed, so names in the former zone have to resolve as long as they are used. */
export async function examineTargets({
  resolvers,
  cnameZone,
  isEdge,
  database,
}: TargetsToExamine): Promise<DoctorResult[]> {
  const about = 'targets';
  const store = await database.open();
  let target: string | null;
  try {
    target = await store.findTargetOutside(cnameZone);
  } catch (error) {
    // Tens of millions of domains may take longer than the store waits for a statement: the other findings still count.
    return [warn(about, messageOf(error), 'Run doctor again when the database is less busy.')];
  } finally {
    await store.close();
  }
  if (target === null) return [];
  const zone = target.slice(target.indexOf('.') + 1);
  const [address] = await addressesOf(target, resolvers);
  const found = `domains have targets in ${zone}, and NAMEPLATE_CNAME_ZONE is ${cnameZone}`;
  const orSetAgain = `as long as domains use it. If the zone was not changed on purpose, set the variable to ${zone} again.`;
  if (address !== undefined)
    return [warn(about, `${found}; those in ${zone} resolve to ${address}`, `Keep *.${zone} ${orSetAgain}`)];
  const advice = `Publish *.${zone} with the address of your edge, ${orSetAgain}`;
  return [(isEdge ? fail : warn)(about, `${found}; those in ${zone} do not resolve`, advice)];
}
