import { useState } from 'preact/hooks';
import { useDashboard } from './context.ts';
import { ActionDialog, type ActionProps } from './domain-dialog.tsx';
import { metadataChange } from './domain-facts.ts';
import { Field } from './parts.tsx';
import { TEXT } from './text.ts';

export function SettingsDialog({ site, onClose, onChange }: ActionProps) {
  const { client } = useDashboard();
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
    ...(minTls !== (before.minTlsVersion ?? '') && { minTlsVersion: (minTls || null) as '1.2' | '1.3' | null }),
    ...(seconds !== (before.hsts?.maxAge ?? null) && { hsts }),
    ...(servesHttp !== (before.redirectToHttps === false) && { redirectToHttps: servesHttp ? false : null }),
  };
  const input = { domain, settings };
  return (
    <ActionDialog
      title={TEXT.domain.settings.title}
      text={TEXT.domain.settings.text}
      label={TEXT.domain.settings.do}
      operation="domains.updateDomain"
      input={input}
      command={['domains', 'update', name, ...optionsOf(settings)]}
      isDisabled={Object.keys(settings).length === 0}
      onClose={onClose}
      run={async () => {
        await client.domains.updateDomain(input);
        onChange();
        return TEXT.domain.settings.done;
      }}
    >
      <Field label={TEXT.domain.settings.origin} hint={TEXT.domain.settings.originHint}>
        {(control) => (
          <input {...control} type="url" value={origin} onInput={(event) => setOrigin(event.currentTarget.value)} />
        )}
      </Field>
      <Field label={TEXT.domain.settings.minTls}>
        {(control) => (
          <select {...control} value={minTls} onChange={(event) => setMinTls(event.currentTarget.value)}>
            <option value="">{TEXT.domain.settings.usual}</option>
            <option value="1.2">1.2</option>
            <option value="1.3">1.3</option>
          </select>
        )}
      </Field>
      <Field label={TEXT.domain.settings.hsts} hint={TEXT.domain.settings.hstsHint}>
        {(control) => (
          <input
            {...control}
            type="number"
            min="0"
            value={age}
            onInput={(event) => setAge(event.currentTarget.value)}
          />
        )}
      </Field>
      <Tick label={TEXT.domain.settings.http} isOn={servesHttp} onChange={setServesHttp} />
    </ActionDialog>
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
  const { client } = useDashboard();
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
    <ActionDialog
      title={TEXT.domain.ownData.title}
      text={TEXT.domain.settings.text}
      label={TEXT.domain.ownData.do}
      operation="domains.updateDomain"
      input={input}
      command={[
        ...['domains', 'update', name],
        ...(externalId === '' ? ['--remove', 'external-id'] : ['--external-id', externalId]),
        ...pairs.flatMap(([key, value]) =>
          value === null ? ['--remove-metadata', key] : ['--metadata', `${key}=${value}`],
        ),
      ]}
      isDisabled={metadata === null}
      onClose={onClose}
      run={async () => {
        await client.domains.updateDomain(input);
        onChange();
        return TEXT.domain.ownData.done;
      }}
    >
      <Field label={TEXT.domain.ownData.externalId}>
        {(control) => (
          <input {...control} value={externalId} onInput={(event) => setExternalId(event.currentTarget.value)} />
        )}
      </Field>
      <Field
        label={TEXT.domain.ownData.metadata}
        hint={TEXT.domain.ownData.hint}
        error={metadata === null ? TEXT.domain.ownData.bad : undefined}
      >
        {(control) => (
          <textarea {...control} rows={5} value={lines} onInput={(event) => setLines(event.currentTarget.value)} />
        )}
      </Field>
    </ActionDialog>
  );
}

export function UploadDialog({ site, onClose, onChange }: ActionProps) {
  const { client } = useDashboard();
  const { id: domain, domain: name } = site.domain;
  const [certificates, setCertificates] = useState('');
  const [privateKey, setPrivateKey] = useState('');
  const [managed, setManaged] = useState(false);
  const about = { domain, ...(managed && { managed }) };
  return (
    <ActionDialog
      title={TEXT.domain.upload.title}
      text={TEXT.domain.upload.text}
      label={TEXT.domain.upload.do}
      operation="domains.uploadCertificate"
      // The key is in no text to copy.
      input={{ ...about, certificates: '…', privateKey: '…' }}
      command={['domains', 'certificate', name, '--chain', 'fullchain.pem', '--private-key', 'privkey.pem']}
      isDisabled={certificates.trim() === '' || privateKey.trim() === ''}
      onClose={onClose}
      run={async () => {
        const { issued } = await client.domains.uploadCertificate({ ...about, certificates, privateKey });
        onChange();
        return TEXT.domain.upload.done(issued?.notAfter);
      }}
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
    </ActionDialog>
  );
}

/** PEM to paste, or from a file. */
function Pem(props: { label: string; hint: string; text: string; onChange: (text: string) => void }) {
  const { label, hint, text, onChange } = props;
  return (
    <>
      <Field label={label} hint={hint}>
        {(control) => (
          <textarea
            {...control}
            rows={4}
            value={text}
            spellcheck={false}
            autocomplete="off"
            onInput={({ currentTarget }) => onChange(currentTarget.value)}
          />
        )}
      </Field>
      <input
        type="file"
        aria-label={`${label}: ${TEXT.domain.upload.file}`}
        onChange={({ currentTarget }) => currentTarget.files?.[0]?.text().then(onChange)}
      />
    </>
  );
}

function Tick({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label class="tick">
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      {label}
    </label>
  );
}
