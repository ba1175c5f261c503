import { useState } from 'preact/hooks';
import type { Certificate } from '../../client/client.ts';
import { CallDialog } from './call-dialog.tsx';
import { metadataChange } from './domain-facts.ts';
import type { ActionProps } from './domain-serving.tsx';
import { SelectField, TextArea, TextField, Tick } from './fields.tsx';
import { TEXT } from './text.ts';

export function SettingsDialog({ site, onClose, onChange }: ActionProps) {
  const { id: domain, domain: name } = site.domain;
  const before = site.settings ?? {};
  const [origin, setOrigin] = useState(before.origin ?? '');
  const [minTls, setMinTls] = useState<string>(before.minTlsVersion ?? '');
  const [age, setAge] = useState(before.hsts === undefined ? '' : String(before.hsts.maxAge));
  const [servesHttp, setServesHttp] = useState(before.redirectToHttps === false);
  const seconds = age.trim() === '' ? null : Number(age);
  // A policy is replaced as a whole: what is not shown here is kept.
  const hsts = seconds === null ? null : { ...before.hsts, maxAge: seconds };
  const settings = {
    ...(origin.trim() !== (before.origin ?? '') && { origin: origin.trim() || null }),
    ...(minTls !== (before.minTlsVersion ?? '') && { minTlsVersion: minTls || null }),
    ...(seconds !== (before.hsts?.maxAge ?? null) && { hsts }),
    ...(servesHttp !== (before.redirectToHttps === false) && { redirectToHttps: servesHttp ? false : null }),
  };
  return (
    <CallDialog
      title={TEXT.domain.settings.title}
      text={TEXT.domain.settings.text}
      label={TEXT.domain.settings.do}
      call={{
        operation: 'domains.updateDomain',
        input: { domain, settings },
        command: ['domains', 'update', name, ...optionsOf(settings)],
      }}
      isDisabled={Object.keys(settings).length === 0}
      done={() => TEXT.domain.settings.done}
      onDone={onChange}
      onClose={onClose}
    >
      <TextField
        label={TEXT.domain.settings.origin}
        hint={TEXT.domain.settings.originHint}
        type="url"
        value={origin}
        onChange={setOrigin}
      />
      <SelectField
        label={TEXT.domain.settings.minTls}
        options={[
          ['', TEXT.domain.settings.usual],
          ['1.2', '1.2'],
          ['1.3', '1.3'],
        ]}
        value={minTls}
        onChange={setMinTls}
      />
      <TextField
        label={TEXT.domain.settings.hsts}
        hint={TEXT.domain.settings.hstsHint}
        type="number"
        min={0}
        value={age}
        onChange={setAge}
      />
      <Tick label={TEXT.domain.settings.http} isOn={servesHttp} onChange={setServesHttp} />
    </CallDialog>
  );
}

function optionsOf(settings: {
  origin?: string | null;
  minTlsVersion?: string | null;
  hsts?: { maxAge: number } | null;
  redirectToHttps?: boolean | null;
}): string[] {
  const { origin, minTlsVersion, hsts, redirectToHttps } = settings;
  const set = (option: string, removed: string, value: string | null | undefined) =>
    value === undefined ? [] : value === null ? ['--remove', removed] : [option, value];
  return [
    ...set('--origin', 'origin', origin),
    ...set('--min-tls', 'min-tls', minTlsVersion),
    ...set('--hsts-max-age', 'hsts', hsts && String(hsts.maxAge)),
    ...(redirectToHttps === undefined ? [] : [redirectToHttps === null ? '--https-redirect' : '--no-https-redirect']),
  ];
}

export function OwnDataDialog({ site, onClose, onChange }: ActionProps) {
  const { id: domain, domain: name } = site.domain;
  const before = site.metadata ?? {};
  const [externalId, setExternalId] = useState(site.externalId ?? '');
  const [lines, setLines] = useState(
    Object.entries(before)
      .map((pair) => pair.join('='))
      .join('\n'),
  );
  const metadata = metadataChange(lines, before);
  const input = { domain, externalId: externalId === '' ? null : externalId, metadata: metadata ?? {} };
  const pairs = Object.entries(input.metadata);
  return (
    <CallDialog
      title={TEXT.domain.ownData.title}
      text={TEXT.domain.settings.text}
      label={TEXT.domain.ownData.do}
      call={{
        operation: 'domains.updateDomain',
        input,
        command: [
          ...['domains', 'update', name],
          ...(externalId === '' ? ['--remove', 'external-id'] : ['--external-id', externalId]),
          ...pairs.flatMap(([key, value]) =>
            value === null ? ['--remove-metadata', key] : ['--metadata', `${key}=${value}`],
          ),
        ],
      }}
      isDisabled={metadata === null}
      done={() => TEXT.domain.ownData.done}
      onDone={onChange}
      onClose={onClose}
    >
      <TextField label={TEXT.domain.ownData.externalId} value={externalId} onChange={setExternalId} />
      <TextArea
        label={TEXT.domain.ownData.metadata}
        hint={TEXT.domain.ownData.hint}
        error={metadata === null ? TEXT.domain.ownData.bad : undefined}
        rows={5}
        value={lines}
        onChange={setLines}
      />
    </CallDialog>
  );
}

export function UploadDialog({ site, onClose, onChange }: ActionProps) {
  const { id: domain, domain: name } = site.domain;
  const [certificates, setCertificates] = useState('');
  const [privateKey, setPrivateKey] = useState('');
  const [managed, setManaged] = useState(false);
  const about = { domain, ...(managed && { managed }) };
  return (
    <CallDialog<Certificate>
      title={TEXT.domain.upload.title}
      text={TEXT.domain.upload.text}
      label={TEXT.domain.upload.do}
      call={{
        operation: 'domains.uploadCertificate',
        // The key is in no text to copy.
        input: { ...about, certificates: '…', privateKey: '…' },
        command: ['domains', 'certificate', name, '--chain', 'fullchain.pem', '--private-key', 'privkey.pem'],
      }}
      sent={{ ...about, certificates, privateKey }}
      done={({ issued }) => TEXT.domain.upload.done(issued?.notAfter)}
      onDone={onChange}
      onClose={onClose}
    >
      <Pem
        label={TEXT.domain.upload.chain}
        hint={TEXT.domain.upload.chainHint}
        text={certificates}
        onChange={setCertificates}
      />
      <Pem
        label={TEXT.domain.upload.key}
        hint={TEXT.domain.upload.keyHint}
        text={privateKey}
        onChange={setPrivateKey}
      />
      <Tick label={TEXT.domain.upload.managed} isOn={managed} onChange={setManaged} />
    </CallDialog>
  );
}

/** PEM to paste, or from a file. */
function Pem(props: { label: string; hint: string; text: string; onChange: (text: string) => void }) {
  const { label, hint, text, onChange } = props;
  return (
    <>
      <TextArea label={label} hint={hint} required rows={4} value={text} onChange={onChange} />
      <input
        type="file"
        aria-label={label + TEXT.signs.colon + TEXT.domain.upload.file}
        onChange={({ currentTarget }) => currentTarget.files?.[0]?.text().then(onChange)}
      />
    </>
  );
}
