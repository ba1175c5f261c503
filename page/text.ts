import type { SetupState } from './setup-state.ts';
import type { RecordState, RecordView, Seen, Stage, StepState, Steps } from './view.ts';

/**
 * Every text of the page and the component, in English. Texts of the API about mistakes (`message`, `fix`) are shown as
 * they are.
 */

/** A headline, and a sentence or two below it. */
interface Said {
  title: string;
  text: string;
}

/**
 * `provider`: its name, where it is known. `needsCaa`: a CAA record has to be added too, which is among the `records`
 * and the `lacking` ones. `found`: how many are there.
 */
interface About {
  provider: string | undefined;
  needsCaa: boolean;
  records: number;
  found: number;
  lacking: number;
}

const COUNTS = ['none', 'one', 'two', 'three', 'four'];

const STAGES: Record<Stage, (about: About) => Said> = {
  publish: ({ provider, records }) => ({
    title: `Add these ${COUNTS[records] ?? records} records ${provider === undefined ? 'to your DNS' : `at ${provider}`}`,
    text: 'Copy each name and value as it is. We keep looking, and this page changes by itself.',
  }),
  one_found: ({ found, lacking }) => ({
    title: `${found === 1 ? 'One record' : 'Two records'} found, ${COUNTS[lacking] ?? lacking} to go`,
    text:
      lacking > 1
        ? 'The other ones are still missing. It may take a minute or two until your provider publishes a record.'
        : 'The other one is still missing. It may take a minute or two until your provider publishes it.',
  }),
  unseen: () => ({
    title: 'We cannot look at your DNS just now',
    text: 'That lies with us. There is nothing for you to do about it: we look again by ourselves. The records below stay as they are; you can add them meanwhile.',
  }),
  fix: () => ({ title: 'One thing needs to change', text: '' }),
  confirming: ({ needsCaa }) => ({
    title: 'Found. Making sure',
    text: needsCaa
      ? 'We ask every nameserver once more. Meanwhile, add the CAA record below: the certificate needs it.'
      : 'What is needed is there. We ask every nameserver once more; there is nothing for you to do.',
  }),
  preparing: () => ({
    title: 'Getting your certificate first',
    text: 'Your site stays where it is meanwhile. Do not change its record yet: this page says when.',
  }),
  ready: () => ({
    title: 'Your certificate is ready. Now change this record',
    text: 'Replace the record that leads to your present site by the one below. Your visitors notice nothing. Keep the old server up for an hour: some of them still go there.',
  }),
  failed: () => ({
    title: 'Checks have stopped',
    text: 'The domain could not be verified in time. Check the records below, then start again: their values stay the same.',
  }),
  certificate: () => ({
    title: 'Verified. Now the certificate',
    text: 'A certificate authority is issuing it. As a rule this takes less than a minute; there is nothing for you to do.',
  }),
  certificate_blocked: () => ({ title: 'Verified, but no certificate yet', text: '' }),
  live: () => ({ title: 'Your site is live', text: 'It is served over HTTPS. You can close this page.' }),
  live_at_risk: () => ({ title: 'Live, but something has changed', text: '' }),
};

const STEPS: Record<keyof Steps, string> = {
  dns: 'Your DNS',
  verified: 'Verified',
  certificate: 'Certificate',
  live: 'Live',
};

const STEP_STATES: Record<StepState, string> = {
  done: 'Done',
  current: 'In progress',
  problem: 'Needs attention',
  waiting: 'Not yet',
};

const RECORD_STATES: Record<RecordState, string> = {
  unknown: 'Looking…',
  found: 'Found',
  hidden: 'Hidden by your provider',
  missing: 'Not seen yet',
  wrong: 'Needs a change',
  unreadable: 'Could not be read',
  not_needed: 'Not needed now',
  later: 'Not yet',
};

const SEEN: Record<Seen['outcome'], string> = {
  matched: 'The right value',
  leads_here: 'Leads here',
  other: 'Found',
  absent: 'Nothing yet',
  unreadable: 'No answer',
};

const FOR_CERTIFICATE =
  'Lets the service get the certificate, and renew it. If your provider offers to proxy this record, turn that off.';

const PURPOSES: Record<RecordView['record'], Record<RecordView['needed'], string>> = {
  routing: {
    yes: 'Leads visitors of your domain to the service.',
    no: 'Leads visitors of your domain to the service.',
    alternative: 'Leads visitors of your domain to the service.',
  },
  ownership: {
    yes: 'Proves that the domain is yours.',
    no: 'Proves that the domain is yours. The other record has done that already.',
    alternative: 'Proves that the domain is yours, even where your provider hides the other record.',
  },
  challenge: { yes: FOR_CERTIFICATE, no: FOR_CERTIFICATE, alternative: FOR_CERTIFICATE },
};

const ENDS: Record<Exclude<SetupState['link'], 'opening' | 'open'>, Said> = {
  unknown: {
    title: 'This link does not work',
    text: 'It is not known here: the domain may have been removed.',
  },
  incomplete: {
    title: 'This link is incomplete',
    text: 'A part of it is missing or was changed. Open the link as it was sent, or copy all of it.',
  },
  expired: {
    title: 'This link has expired',
    text: 'Links work for a limited time. Your records and values stay the same.',
  },
  revoked: { title: 'This link was withdrawn', text: 'It was replaced, or is no longer meant to be used.' },
  deleted: {
    title: 'The domain was removed',
    text: 'It is no longer being set up. Nothing you published does any harm.',
  },
  disabled: {
    title: 'Set-up is switched off',
    text: 'The account that this link belongs to is disabled. Ask whoever sent you the link; your records and values stay the same.',
  },
  denied: { title: 'This page cannot be shown here', text: 'The service does not answer requests from this page.' },
};

/** The place where records are added, by the id of the provider. Panels change: it is a hint. */
const PANELS: Record<string, (zone: string) => string> = {
  cloudflare: (zone) => `${zone} › DNS › Records › Add record. Set “Proxy status” to “DNS only”.`,
  route53: (zone) => `Hosted zones › ${zone} › Create record`,
  godaddy: (zone) => `Domain Portfolio › ${zone} › DNS › Add New Record`,
  namecheap: (zone) => `Domain List › ${zone} › Manage › Advanced DNS › Add New Record`,
  squarespace: (zone) => `Domains › ${zone} › DNS › DNS Settings › Custom records › Add record`,
  ionos: (zone) => `Domains & SSL › ${zone} › DNS › Add record`,
  ovh: (zone) => `Domain names › ${zone} › DNS zone › Add an entry`,
  gandi: (zone) => `Domain › ${zone} › DNS Records › Add record`,
  hetzner: (zone) => `DNS › ${zone} › Records › Add record`,
  digitalocean: (zone) => `Networking › Domains › ${zone} › Create new record`,
  vercel: (zone) => `Domains › ${zone} › DNS Records › Add`,
  azure: (zone) => `DNS zones › ${zone} › Record sets › Add`,
  namecom: (zone) => `My Domains › ${zone} › Manage DNS Records › Add Record`,
  porkbun: (zone) => `Domain Management › ${zone} › DNS`,
  strato: (zone) => `Domains › Manage domains › ${zone} › DNS`,
  hostinger: (zone) => `Domains › ${zone} › DNS / Nameservers › DNS records`,
  wix: (zone) => `Domains › ${zone} › Manage DNS records › Add record`,
  bluehost: (zone) => `Domains › ${zone} › DNS › Manage DNS records › Add record`,
  dnsimple: (zone) => `${zone} › DNS › Manage records › Add`,
  dnsmadeeasy: (zone) => `DNS › Managed DNS › ${zone} › Records`,
};

const time = (at: number) =>
  new Date(at).toLocaleString('en', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
  });

const date = (at: number) => new Date(at).toLocaleDateString('en', { day: 'numeric', month: 'long', year: 'numeric' });

const duration = (seconds: number) => (seconds > 90 ? `${Math.round(seconds / 60)} min` : `${seconds} s`);

export const TEXT = {
  title: (name: string) => `Connect ${name}`,
  titleLive: (name: string) => `${name} is live`,
  connect: 'Connect your domain',
  /** Label of the name as the DNS has it. */
  punycode: 'In DNS:',
  loading: 'Opening your link…',
  unreachable: 'The service cannot be reached. Trying again…',
  lost: 'The connection was lost. Reconnecting… Checks go on meanwhile, and nothing is lost.',
  crowded: 'This link is in use on many pages. Close those you do not need: this one goes on by itself.',
  stage: (stage: Stage, about: About) => STAGES[stage](about),
  progress: 'Progress',
  step: (step: keyof Steps) => STEPS[step],
  stepState: (step: keyof Steps, state: StepState) =>
    step === 'dns' && state === 'current' ? 'Your turn' : STEP_STATES[state],
  movingFirst:
    'Does this name serve a site today? Read “Keep your site up while you move” below before you change this.',
  movingTitle: 'Keep your site up while you move',
  movingText:
    'Does this name serve a site today? Add the TXT record and this one, and leave the others for now. This page tells you when the certificate is ready, and which record to change then.',
  movingPurpose: 'Lets us get the certificate before you move. If your provider offers to proxy it, turn that off.',
  records: 'Records',
  recordState: (state: RecordState) => RECORD_STATES[state],
  purpose: (record: RecordView['record'], needed: RecordView['needed']) => PURPOSES[record][needed],
  recordTitle: (type: string) => `${type} record`,
  alias: 'Your provider may call it ALIAS, ANAME or flattened CNAME.',
  noAlias: (count: number) =>
    count === 1
      ? 'Does your provider have none of these? Then add this record instead, under the same name, and no other A or AAAA record.'
      : 'Does your provider have none of these? Then add these records instead, under the same name, and no other A or AAAA record.',
  caaState: 'To be added',
  caaPurpose:
    'The domain allows other certificate authorities only. This record allows ours, too: leave those that are there.',
  flags: 'Flags',
  tag: 'Tag',
  name: 'Name',
  value: 'Value',
  emptyName: 'Leave it empty',
  fullName: 'Full name',
  fullNameHint: 'Most providers want it without the zone: “@”, or nothing, for the zone itself.',
  ttl: 'Leave the TTL as it is. Nothing else needs to change.',
  copy: 'Copy',
  copied: 'Copied',
  /** Read out after “Copy”. */
  copyWhat: (what: string, type: string) => ` the ${what.toLowerCase()} of the ${type} record`,
  copyExpected: ' the right value',
  copyDone: 'Copied to the clipboard.',
  copyFailed: 'Could not copy. Select the text and copy it yourself.',
  seenNow: 'Seen now',
  seen: (outcome: Seen['outcome']) => SEEN[outcome],
  at: 'at',
  found: 'Found',
  expected: 'Should be',
  panel: (provider: string) => `Open ${provider}`,
  opensInNewTab: ' (opens in a new tab)',
  where: (id: string | undefined, zone: string) =>
    id !== undefined && Object.hasOwn(PANELS, id) ? PANELS[id]?.(zone) : undefined,
  whereTitle: 'Where to click',
  whereUnknown: (zone: string, nameservers: readonly string[]) =>
    nameservers.length === 0
      ? `Log in where you manage the DNS of ${zone} and look for “DNS records”.`
      : `Log in where you manage the DNS of ${zone}, and look for “DNS records”. Its nameservers are ${nameservers.join(' and ')}.`,
  whereShort: (zone: string) => `In the panel: ${zone} › DNS records › Add record`,
  checkNow: 'Check now',
  tryAgain: 'Start again',
  checking: 'Checking…',
  nextCheck: (seconds: number) => `Next check in ${duration(seconds)}`,
  checkingSoon: 'Checking about now',
  until: (at: number) => `Checks go on until ${time(at)}.`,
  nextTry: (at: number, seconds: number) =>
    seconds > 0
      ? `Next attempt ${seconds > 5400 ? `on ${time(at)}` : `in ${duration(seconds)}`}.`
      : 'Next attempt about now.',
  nextTrySees: 'It sees what you change before that.',
  visit: (name: string) => `Open ${name}`,
  validUntil: (at: number) => `The certificate is valid until ${date(at)}, and is renewed before that.`,
  sendOn: 'Does somebody else manage your DNS? Send these records on',
  sendOnWarning: 'The link opens this page for everyone who has it. Send it only to people you trust.',
  sendOnWithoutLink: 'There is no link to this page here. Copy the records, and paste them into a message.',
  sendByMail: 'E-mail these records',
  sendCopy: 'Copy all',
  /** Read out after “Copy all”. */
  sendCopyWhat: ' records as text',
  sendCode: 'A code with the link to this page',
  sendCodeText: 'Scan it to go on with your phone.',
  /** The message: its subject, and the lines above and below the records. */
  sent: {
    subject: (name: string) => `DNS records for ${name}`,
    ask: (name: string, count: number) =>
      count === 1 ? `Please add this DNS record for ${name}:` : `Please add these DNS records for ${name}:`,
    instead: 'Or, where the provider does not have this type:',
    link: 'This page shows whether they were found, and what is wrong if they were not:',
  },
  type: 'Type',
  help: 'Questions?',
  contact: (name: string | undefined) => (name === undefined ? 'Contact support' : `Contact ${name}`),
  askWhom: (name: string | undefined) => `Ask ${name ?? 'the people who sent you the link'} for a new one`,
  ended: (link: Exclude<SetupState['link'], 'opening' | 'open'>) => ENDS[link],
};
