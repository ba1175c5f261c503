import { english, type Wording } from '../../words/english.ts';
import type { RecordState, RecordView, Seen } from '../record-view.ts';
import type { Asked, SetupState } from '../setup-state.ts';
import type { Stage, StepState, Steps, Task } from '../view.ts';
import { formatsIn } from './formats.ts';
import type { Paths } from './panels.ts';

/** All that the page and the component say in a language: `page/languages/` has a file for each. What a language lacks is an error of types. */
export interface Language extends Wording {
  dir?: 'rtl';
  texts: typeof texts;
}

/** A headline, and a sentence or two below it. */
interface Said {
  title: string;
  text: string;
}

/**
 * `provider`: its name, where it is known. `platform`: the name of the brand. `needsCaa`: a CAA record has to be added
 * too, which is among the `records` and the `lacking` ones. `found`: how many are there; `missing`: how many are nowhere;
 * `wrong`: how many have something to be replaced. `isGone`: the record that leads visitors is no longer there.
 */
interface About {
  provider: string | undefined;
  platform: string | undefined;
  needsCaa: boolean;
  records: number;
  found: number;
  lacking: number;
  missing: number;
  wrong: number;
  isGone: boolean;
}

const COUNTS = ['none', 'one', 'two', 'three', 'four'];
const capitalised = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

const STAGES: Record<Stage, (about: About) => Said> = {
  publish: ({ provider, records }) => ({
    title: `Add ${records === 1 ? 'this record' : `these ${COUNTS[records] ?? records} records`} ${provider === undefined ? 'to your DNS' : `at ${provider}`}`,
    text: '',
  }),
  one_found: ({ found, lacking }) => ({
    title: `${capitalised(COUNTS[found] ?? `${found}`)} ${found === 1 ? 'record' : 'records'} found, ${COUNTS[lacking] ?? lacking} to go`,
    text:
      lacking > 1
        ? 'The other ones are still missing. It may take a minute or two until your provider publishes a record.'
        : 'The other one is still missing. It may take a minute or two until your provider publishes it.',
  }),
  unseen: () => ({
    title: 'We cannot look at your DNS just now',
    text: 'That lies with us. There is nothing for you to do about it: we look again by ourselves. The records below stay as they are; you can add them meanwhile.',
  }),
  fix: ({ missing, wrong }) => ({
    title: `${wrong > 1 ? `${capitalised(COUNTS[wrong] ?? `${wrong}`)} things need` : 'One thing needs'} to change${missing === 0 ? '' : `, ${COUNTS[missing] ?? missing} to add`}`,
    text: '',
  }),
  confirming: ({ needsCaa }) => ({
    title: needsCaa ? 'Found. One CAA record to go' : 'Found. Making sure',
    text: needsCaa
      ? 'We ask every nameserver once more. Meanwhile, add the CAA record: the certificate needs it.'
      : 'What is needed is there. We ask every nameserver once more; there is nothing for you to do.',
  }),
  preparing: () => ({
    title: 'Getting your certificate first',
    text: 'Your site stays where it is meanwhile. Do not change its record yet: this page says when.',
  }),
  ready: () => ({
    title: 'Your certificate is ready. Now change this record',
    text: 'Replace the record that leads to your present site. Your visitors notice nothing. Keep the old server up for an hour: some of them still go there.',
  }),
  failed: () => ({
    title: 'Checks have stopped',
    text: 'Check the records below, then start again: their values stay the same.',
  }),
  certificate: () => ({
    title: 'Records found. Now the certificate',
    text: 'A certificate authority is issuing it. As a rule this takes less than a minute; there is nothing for you to do.',
  }),
  certificate_blocked: () => ({ title: 'One more thing for the certificate', text: '' }),
  certificate_refused: ({ platform = 'The service' }) => ({
    title: 'We are looking into it',
    text: `The certificate for your domain was not issued. There is nothing for you to change: ${platform} can see why. We try again by ourselves.`,
  }),
  live: () => ({
    title: 'Your site is live',
    text: 'It is served over HTTPS. You can close this page. Keep the records as they are: we look once a day.',
  }),
  live_at_risk: ({ isGone }) => ({
    title: isGone ? 'Visitors do not find your site: a record is gone' : 'Live, but something has changed',
    text: '',
  }),
};

const REPLACE = 'Change these records: replace what is crossed out.';

/** The change at the provider, in a sentence. A problem of another kind has its fix told. */
const HINTS: Record<Exclude<Task['kind'], 'told'>, (task: Task) => string> = {
  records: () => 'Add these records. Copy each name and value as it is.',
  add: ({ type }) => `Add this ${type} record. Copy its name and value as they are.`,
  change: ({ type, count }) => (count > 1 ? REPLACE : `Change the ${type} record: replace its value.`),
  rename: ({ type, count }) => (count > 1 ? REPLACE : `Change the ${type} record: replace its name.`),
  exchange: () => 'Exchange the names of the two records.',
  replace: ({ type, removes }) =>
    `Delete the ${removes.join(' and ')} ${removes.length > 1 ? 'records' : 'record'} at this name. At once, add this ${type} record.`,
  delete: ({ type }) => `Delete the ${type} record.`,
  caa: () => 'Add this CAA record. Leave the CAA records that are there.',
};

const STEPS: Record<keyof Steps, string> = {
  dns: 'DNS records',
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
  misplaced: 'At the wrong name',
  gone: 'No longer there',
  wrong: 'Needs a change',
  unreadable: 'Could not be read',
  not_needed: 'Not needed now',
  later: 'Not yet',
};

const SEEN: Record<Seen['outcome'], string> = {
  matched: 'The right value',
  leads_here: 'Leads here',
  other: 'Found',
  absent: 'Nothing',
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

const { list, time, clock, date, duration } = formatsIn('en');

const ASKED: Record<Asked['outcome'], (at: number) => string> = {
  same: (at) => `Looked at ${clock(at)}: nothing new yet.`,
  changed: (at) => `Looked at ${clock(at)}.`,
  busy: (at) => `Not looked at ${clock(at)}: too many checks at once. Wait until the button counts down.`,
  failed: (at) => `Could not look at ${clock(at)}: no connection. Try again.`,
};

const texts = {
  /** Between sentences, and between a label and its value. */
  space: ' ',
  colon: ': ',
  title: (name: string) => `Connect ${name}`,
  titleLive: (name: string) => `${name} is live`,
  connect: 'Connect your domain',
  /** Label of the name as the DNS has it. */
  punycode: 'In DNS:',
  loading: 'Opening your link…',
  noScript: 'This page needs JavaScript to show what your domain is waiting for.',
  unreachable: 'The service cannot be reached. Trying again…',
  lost: 'The connection was lost. Reconnecting… Checks go on meanwhile, and nothing is lost.',
  crowded: 'This link is in use on many pages. Close those you do not need: this one goes on by itself.',
  hints: HINTS,
  logIn: (zone: string | null) =>
    zone === null ? 'Log in where you manage your DNS.' : `Log in where you manage the DNS of ${zone}.`,
  logInAt: (provider: string) => `Log in to ${provider}.`,
  /** After a hint. Null: not by its type. */
  alsoAdd: (type: string | null) => (type === null ? 'Add what is missing, too.' : `Add the ${type} record, too.`),
  mayKeep: 'Does a proxy of yours have this address? Then leave it: the TXT record is enough.',
  noTxt: 'You do not need the TXT record.',
  /** `name`: an apex. True also where the other name has been attached. */
  withoutWww: (name: string, www: string) => `This page sets up ${name} only: ${www} is set up separately.`,
  comeBack: 'Come back. This page changes by itself.',
  details: 'Answer of the certificate authority',
  stages: STAGES,
  progress: 'Progress',
  steps: STEPS,
  stepStates: STEP_STATES,
  /** In place of “In progress”. */
  yourTurn: 'Your turn',
  movingFirst:
    'Does this name serve a site today? Read “Keep your site up while you move” below before you change this.',
  movingTitle: 'Keep your site up while you move',
  movingText:
    'Does this name serve a site today? Add the TXT record and this one, and leave the others for now. This page tells you when the certificate is ready, and which record to change then.',
  movingPurpose: 'Lets us get the certificate before you move. If your provider offers to proxy it, turn that off.',
  records: 'Records',
  otherRecords: 'Other records',
  recordStates: RECORD_STATES,
  purposes: PURPOSES,
  recordTitle: (type: string) => `${type} record`,
  alias: 'Your provider may call it ALIAS, ANAME or flattened CNAME.',
  noAlias: (count: number) =>
    `Does your provider have none of these? Then add ${count === 1 ? 'this record' : 'these records'} instead, under the same name, and no other A or AAAA record.`,
  caaState: 'To be added',
  caaPurpose: 'The domain allows other certificate authorities only. This record allows ours, too.',
  flags: 'Flags',
  tag: 'Tag',
  name: 'Name',
  value: 'Value',
  emptyName: 'Leave it empty',
  fullName: 'Full name',
  fullNameHint: 'Most providers want it without the zone: “@”, or nothing, for the zone itself.',
  /** In place of the name that the provider wants. */
  nameUnknown: 'Wait a moment before you type it: we look up how your provider wants it.',
  /** Beside a value that is to be replaced. */
  instead: 'Now',
  replacedBy: 'Should be',
  ttl: 'Leave the TTL as it is.',
  copy: 'Copy',
  copied: 'Copied',
  /** Read out after “Copy”. */
  copyWhat: (what: string, type: string) => ` the ${what.toLowerCase()} of the ${type} record`,
  copyDone: 'Copied to the clipboard.',
  copyFailed: 'Could not copy. Select the text and copy it yourself.',
  seenNow: 'Seen now',
  seen: SEEN,
  at: 'at',
  panel: (provider: string) => `Open ${provider}`,
  opensInNewTab: ' (opens in a new tab)',
  /** At Cloudflare. */
  dnsOnly: 'Set “Proxy status” to “DNS only”.',
  panels: {} as Paths,
  whereUnknown: (nameservers: readonly string[]) =>
    nameservers.length === 0
      ? 'Often that is where you bought the domain. Look for “DNS records”.'
      : `Often that is where you bought the domain. Its nameservers are ${list(nameservers)}. Look for “DNS records”.`,
  whereShort: (zone: string) => `In the panel: ${zone} › DNS records.`,
  connectAt: (provider: string) => `Connect at ${provider}`,
  connectHow: (host: string) => `You log in at ${host} and agree. Your provider then adds the records for you.`,
  connectDone: 'Your provider has sent you back. We look for the records now, which can take a minute.',
  connectRefused:
    'Your provider did not add the records. You have lost nothing: try again, or add them yourself below.',
  checkNow: 'Check now',
  tryAgain: 'Start again',
  checking: 'Checking…',
  checkAgain: (seconds: number) => `Check again in ${duration(seconds)}`,
  asked: ASKED,
  nextCheck: (seconds: number) => `Next check in ${duration(seconds)}.`,
  checkingSoon: 'Checking about now.',
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
    /** Fills a label up to the width of the longest one. */
    fill: ' ',
    instead: 'Or, where the provider does not have this type:',
    link: 'This page shows whether they were found, and what is wrong if they were not:',
  },
  type: 'Type',
  help: 'Questions?',
  contact: (name: string | undefined) => (name === undefined ? 'Contact support' : `Contact ${name}`),
  /** `address`: follows it. */
  askWhom: (name: string | undefined, hasAddress: boolean) =>
    `Ask ${name ?? 'the people who sent you the link'} for a new one${hasAddress ? ': ' : '.'}`,
  ends: ENDS,
};

export const en: Language = { ...english, texts };
