import type { DnsServer } from '../../config/config.ts';
import { joinList } from '../../domain/text.ts';
import type { CertificateStore } from '../../store/contract/store.ts';
import { type DoctorResult, fail, ok, warn } from './doctor-result.ts';
import { addressesOf } from './examine-edge.ts';

interface ApiHostname {
  hostname: string;
  /** Those of `NAMEPLATE_EDGE_ADDRESSES`. */
  edgeAddresses: readonly string[];
  resolvers: readonly DnsServer[];
  /** Null: it cannot be opened. */
  store: Pick<CertificateStore, 'findCertificate'> | null;
}

const ABOUT = 'api name';

/** Whether the API's own name (`NAMEPLATE_API_HOSTNAME`) leads to the edge, and has a certificate. */
export async function examineApiHostname({
  hostname,
  edgeAddresses,
  resolvers,
  store,
}: ApiHostname): Promise<DoctorResult[]> {
  const addresses = await addressesOf(hostname, resolvers);
  return [
    judgeAddresses(hostname, addresses, edgeAddresses),
    ...(store === null ? [] : [await examine(store, hostname)]),
  ];
}

function judgeAddresses(
  hostname: string,
  addresses: readonly string[],
  edgeAddresses: readonly string[],
): DoctorResult {
  if (addresses.length === 0) {
    const advice = 'Publish A and AAAA records for it that lead to this edge, or remove NAMEPLATE_API_HOSTNAME.';
    return fail(ABOUT, `${hostname} has no address`, advice);
  }
  const others = edgeAddresses.length === 0 ? [] : addresses.filter((address) => !edgeAddresses.includes(address));
  if (others.length === 0) return ok(ABOUT, `${hostname} leads to ${joinList([...addresses])}`);
  const advice = 'Let it lead to this edge, or add these addresses there.';
  return warn(ABOUT, `${hostname} leads to ${joinList(others)}, which NAMEPLATE_EDGE_ADDRESSES does not list`, advice);
}

async function examine(store: Pick<CertificateStore, 'findCertificate'>, hostname: string): Promise<DoctorResult> {
  const found = await store.findCertificate(hostname);
  if (found === null) return ok(ABOUT, `the certificate of ${hostname} is ordered at the first start`);
  if (found.issued !== null) return ok(ABOUT, `${hostname} has a certificate`);
  const because = found.problem === null ? '' : `: ${found.problem.message}`;
  const advice = `Fix that, then run "nameplate certificates renew ${hostname}".`;
  return warn(ABOUT, `${hostname} has no certificate yet (${found.state})${because}`, advice);
}
