import type { FindingAction, FindingReason } from '../finding.ts';
import { quote } from '../text.ts';
import { capitalized, delegationOf, failing, listServers, type Said, typed, typedName, whereOf } from './phrases.ts';

/** The English instruction for each finding. */

/** The sentences that say what to do. The action alone is enough for most codes. */
export function fixOf(said: Said): string {
  const { code, action, second, reason, name, nameservers, seen, provider, severity } = said;
  const where = whereOf(action);
  const changeType = `${where}, change the ${action.type} record`;
  switch (code) {
    case 'record_missing':
      return reason === 'no_address' ? apexFix(action) : byAction(action);
    case 'record_below_cut':
      return action.kind === 'replace'
        ? `Delete the NS records of ${name} in the zone ${action.zone}, and add the CNAME record there. ${typed(action)}`
        : byAction(action);
    case 'name_doubled':
      return `${where}, change the name of the ${action.type} record: it adds "${action.zone}" itself. ${typed(action)}`;
    case 'name_not_punycode':
      return `${where}, enter the name in its "xn--" form. ${typed(action)}`;
    case 'record_at_other_name':
      if (action.type === 'ALIAS') return apexFix(action);
      return action.kind === 'add' ? byAction(action) : `${where}, change the name of the TXT record. ${typed(action)}`;
    case 'wrong_type':
      return said.record === 'ownership'
        ? byAction(action)
        : `${where}, delete the ${action.removes?.[0]} record and add a CNAME record. ${typed(action)}`;
    case 'records_swapped':
      return second === undefined
        ? byAction(action)
        : `Exchange their names. ${where}, the CNAME record gets ${typedName(second)}, and the TXT record gets ${typedName(action)}.`;
    case 'value_doubled_zone':
      return `${where}, end the value of the CNAME record with a dot. ${typed(action)}`;
    case 'address_instead_of_cname':
      return severity === 'info'
        ? `If these are not the addresses of a proxy of yours, replace them by a CNAME record. ${typed(action)}`
        : `${byAction(action)} ${orText(second)}`;
    case 'challenge_proxied':
      return `${byAction(action)} Do not let the provider proxy it (Cloudflare: grey cloud, "DNS only").`;
    case 'conflicting_records':
      return `${where}, delete every other CNAME, A and AAAA record at this name, and keep one CNAME record. ${typed(action)}`;
    case 'txt_quoted':
      return `${changeType}: enter the value without quotation marks. ${typed(action)}`;
    case 'cname_at_apex':
      return `Delete the CNAME record. ${apexFix(action)}`;
    case 'apex_elsewhere':
      return apexFix(action);
    case 'zone_not_registered':
      return `Register or renew ${name} at a registrar, and set its nameservers there. If the name is mistyped, ${reason === 'name_not_added' ? 'look at the right one' : 'delete this domain and add the right one'}.`;
    case 'zone_parked':
      if (reason === 'registration_ended')
        return `Renew ${name} at its registrar. If the nameservers from before do not come back by themselves, set them there.`;
      return `Change the nameservers to those of a DNS provider, ${delegationOf(action)}. Publish the records at that provider.`;
    case 'zone_elsewhere':
      return `${capitalized(delegationOf(action))}, set the nameservers to ${reason === 'record_there' ? `those of ${said.seenProvider ?? listServers(seen)}` : listServers(seen)}. Or publish the records at ${provider ?? listServers(nameservers)}.`;
    case 'delegation_mismatch':
      return `Make both lists the same: ${delegationOf(action)}, or in the NS records of the zone ${name} itself.`;
    case 'nameservers_disagree':
      return `If you have just changed it, wait a few minutes. Otherwise ${nameservers.length === 1 ? 'ask the DNS provider why its answers differ' : 'publish the same at all of them, or remove those that differ'}. ${typed(action)}`;
    case 'resolvers_unreachable':
      return 'There is nothing for you to do: this service looks again by itself.';
    case 'dnssec_bogus':
      return bogusFix(said);
    case 'caa_forbids':
      return action.kind === 'delete'
        ? `Delete the CAA record with the tag ${quote(action.tag ?? '', 30)}: as long as its flags are 128 or more, no certificate authority may issue.`
        : `${where}, add a CAA record.${action.nameInZone === undefined ? '' : ` ${typedName(action)},`} Flags: \`${action.flags}\`, Tag: \`${action.tag}\`, Value: \`${action.value}\`.`;
    case 'held_elsewhere':
      return heldFix(said);
    case 'other_certificate':
      return action.kind === 'repair'
        ? 'At the proxy or load balancer that has this address, replace the certificate, or let connections pass through to this service as they are.'
        : `${byAction(action)} Or, if a proxy of yours has this address, let it pass on what is below /.well-known/acme-challenge/ too.`;
    case 'certificate_expired_outside':
      return 'At the proxy or load balancer that has this address, renew the certificate, or let connections pass through to this service as they are.';
    case 'tls_unreachable':
      return `Open port 443 at that server. Or, if the address is not in use any more: ${byAction(action)}`;
    case 'stale_cache':
      return 'Wait until then.';
    default:
      if (!code.startsWith('nameserver_')) return byAction(action);
      if (said.scope === 'name')
        return `Ask the DNS provider of ${action.zone} why${said.record === 'ownership' ? ': a firewall may drop names that begin with an underscore' : ''}. Or delete the ${action.type} record, and add it again. ${typed(action)}`;
      return said.scope === 'delegation'
        ? 'Nothing has to be changed in the records. If it lasts, ask the registrar of the domain.'
        : (NAMESERVER_FIXES[reason ?? 'timeout'] ?? askProvider)(said);
  }
}

function byAction(action: FindingAction): string {
  const { kind, type, removes = [] } = action;
  const article = type === 'ALIAS' ? 'an' : 'a';
  switch (kind) {
    case 'add':
      return `${whereOf(action)}, add ${article} ${type} record. ${typed(action)}`;
    case 'change':
      return `${whereOf(action)}, change the ${type} record. ${typed(action)}`;
    case 'replace': {
      const isOne = removes.length === 1;
      return `${whereOf(action)}, delete the ${removes.join(' and ')} record${isOne ? '' : 's'} at this name and add ${article} ${type} record. ${typed(action)}`;
    }
    default:
      return '';
  }
}

/** Behind a proxy the CNAME cannot be seen, and the TXT record is what counts. */
function orText(second: FindingAction | undefined): string {
  return second?.kind === 'add'
    ? `Or, if a proxy of yours has these addresses, add a TXT record. ${typed(second)}`
    : 'Or, if a proxy of yours has these addresses, publish the right TXT record.';
}

/** Says what leads an apex here: a record of its own type where the provider has one, the addresses of the edge where they are known. */
function apexFix(action: FindingAction): string {
  const { name, typeInZone, addresses } = action;
  if (addresses !== undefined) {
    const each = addresses.map((address) => `${address.includes(':') ? 'AAAA' : 'A'} \`${address}\``);
    return `${whereOf(action)}, give ${name} these addresses and no others: ${each.join(', ')}. ${typedName(action)}.`;
  }
  const record =
    typeInZone === undefined ? 'the record that is called ALIAS, ANAME or flattened CNAME' : `the ${typeInZone} record`;
  return `${whereOf(action)}, add ${record}, and no A or AAAA records. ${typed(action)}`;
}

/** Signatures that are out of date are made anew by the provider; otherwise the DS record mostly belongs to a former provider. */
function bogusFix({ action: { at, zone }, reason }: Said): string {
  const where = at === 'registrar' ? `At the registrar of ${zone}` : `In the zone above ${zone}`;
  const ds = `${where}, remove the DS record, or replace it by the one that the DNS provider shows`;
  return reason === 'signature_expired' || reason === 'signature_not_yet_valid'
    ? `Ask the DNS provider of ${zone} to sign the zone again. Or: ${ds}.`
    : `${ds}. Or sign the zone again.`;
}

function heldFix({ name, reason, action, second }: Said): string {
  switch (reason) {
    case 'older_claim':
      return 'If the name is yours, delete the domain, add it again and publish its new records.';
    case 'nameservers_silent':
      return `Ask the DNS provider of ${action.zone} why its nameservers do not answer. The name moves once they do, and have only the records of this domain.`;
    case 'other_records_left':
      return `${whereOf(action)}, remove every other TXT record at ${action.name}, and point ${name} to ${second?.value} only.`;
    case 'both_needed':
      return `To move the name, publish both records of this domain, and remove the other account's TXT record at ${action.name}. The new TXT record has ${typed(action)}`;
    default:
      return `To move the name, publish the TXT record of this domain, and remove the other account's at the same name. ${typed(action)}`;
  }
}

const askProvider = ({ action, nameservers }: Said) =>
  `Ask the DNS provider of ${action.zone} why, or remove ${failing(nameservers)} from its nameservers, ${delegationOf(action)}.`;

const createZone = ({ action }: Said) =>
  `Create the zone ${action.zone} at that DNS provider, or set the nameservers of the provider that has it, ${delegationOf(action)}.`;

/** How what a nameserver does is mended. */
const NAMESERVER_FIXES: Partial<Record<FindingReason, (said: Said) => string>> = {
  servfail: ({ action }) =>
    `Check the zone ${action.zone} at its DNS provider, or ask the provider: the zone may have an error, or not be loaded.`,
  refused: createZone,
  lame: createZone,
  no_nameserver: ({ action, nameservers }) =>
    `Correct the names of the nameservers${nameservers.length === 0 ? '' : ` (${listServers(nameservers)})`}, ${delegationOf(action)}.`,
  forbidden_address: ({ action }) => `Give the nameservers of ${action.zone} public IP addresses, or use others.`,
  tcp_failed: ({ nameservers }) =>
    `Open TCP port 53 at ${failing(nameservers)}: answers that are too large for UDP are read over TCP.`,
  inconsistent: () =>
    'Nothing has to be changed: a change of nameservers takes some minutes to reach all of the registry.',
};
