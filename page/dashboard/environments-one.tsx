import { useState } from 'preact/hooks';
import { type Environment, NameplateError, type OriginSettings } from '../../client/client.ts';
import { Code } from '../inline.tsx';
import { CallDialog } from './call-dialog.tsx';
import { mayDo, useDashboard } from './context.ts';
import { ENVIRONMENTS } from './environments-text.ts';
import { listAll } from './list-all.ts';
import { useLoad } from './load.ts';
import { LoadFailed } from './load-failed.tsx';
import { usePageTitle } from './page-title.ts';
import { Badge, Card, Field, Table } from './parts.tsx';
import { hrefOf, Link } from './route.tsx';
import { OverlapField, SecretOnce, USUAL_OVERLAP } from './secret-parts.tsx';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';
import { Fact } from './webhooks-delivery.tsx';

/** One environment: its deployments, and how its origins are asked. */
export function EnvironmentPage({ id }: { id: string }) {
  const { client, person } = useDashboard();
  const { data, error, reload } = useLoad(id, (signal) =>
    client.environments.getEnvironment({ environment: id }, { signal }),
  );
  usePageTitle(data?.slug ?? TEXT.pages.environments);
  if (error instanceof NameplateError && error.status === 404) return <p class="empty">{ENVIRONMENTS.missing}</p>;
  if (data === undefined)
    return error === undefined ? <p aria-busy="true">{TEXT.loading}</p> : <LoadFailed error={error} onRetry={reload} />;
  return (
    <>
      <p>
        <Link href={hrefOf(['environments'])}>{TEXT.pages.environments}</Link>
      </p>
      <h1>{data.slug}</h1>
      <p class="note">
        <Code text={data.id} /> {data.name && <bdi>{data.name}</bdi>}
      </p>
      {mayDo(person, 'environment', 'read_deployment') && <Deployments environment={data} onChange={reload} />}
      {mayDo(person, 'environment', 'read_origin_settings') && <Settings environment={data} />}
    </>
  );
}

function Deployments({ environment, onChange }: { environment: Environment; onChange: () => void }) {
  const { client, person } = useDashboard();
  const { id, slug, currentDeploymentId } = environment;
  const [isAsked, setAsked] = useState(false);
  const [origin, setOrigin] = useState('');
  const { data, error, reload } = useLoad(`${id} ${currentDeploymentId}`, (signal) =>
    listAll(client.deployments.listDeployments, { environment: id }, signal),
  );
  const deployButton = mayDo(person, 'environment', 'create_deployment') && (
    <button type="button" class="button small" onClick={() => setAsked(true)}>
      {ENVIRONMENTS.deploy}
    </button>
  );
  return (
    <Card title={ENVIRONMENTS.deployments} actions={deployButton}>
      {error !== undefined && <LoadFailed error={error} onRetry={reload} />}
      {data?.length === 0 && <p class="note">{ENVIRONMENTS.noDeployments}</p>}
      {data !== undefined && data.length > 0 && (
        <Table label={ENVIRONMENTS.deployments} columns={ENVIRONMENTS.deploymentColumns}>
          {data.toReversed().map((deployment) => (
            <tr key={deployment.id}>
              <th scope="row">
                <Code text={deployment.origin} />{' '}
                {deployment.id === currentDeploymentId && <Badge tone="good">{ENVIRONMENTS.current}</Badge>}
              </th>
              <td>
                <code>{deployment.id}</code>
              </td>
              <td>
                <Ago at={deployment.createdAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {isAsked && (
        <CallDialog
          title={ENVIRONMENTS.deployTitle(slug)}
          label={ENVIRONMENTS.deploy}
          call={{
            operation: 'deployments.createDeployment',
            input: { environment: id, origin },
            command: ['deployments', 'create', origin, '--environment', id],
          }}
          onDone={() => {
            setAsked(false);
            setOrigin('');
            onChange();
          }}
          onClose={() => setAsked(false)}
        >
          <p>{ENVIRONMENTS.deployText}</p>
          <Field label={ENVIRONMENTS.origin} hint={ENVIRONMENTS.originHint}>
            {(control) => (
              <input
                {...control}
                type="url"
                required
                value={origin}
                onInput={({ currentTarget }) => setOrigin(currentTarget.value.trim())}
              />
            )}
          </Field>
        </CallDialog>
      )}
    </Card>
  );
}

function Settings({ environment: { id } }: { environment: Environment }) {
  const { client, person } = useDashboard();
  const [asked, setAsked] = useState<'change' | 'rotate' | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const { data, error, reload } = useLoad(id, (signal) =>
    client.environments.getOriginSettings({ environment: id }, { signal }),
  );
  const close = () => setAsked(null);
  const buttons = data !== undefined && mayDo(person, 'environment', 'update_origin_settings') && (
    <>
      <button type="button" class="button quiet small" onClick={() => setAsked('change')}>
        {ENVIRONMENTS.change}
      </button>
      <button type="button" class="button quiet small" onClick={() => setAsked('rotate')}>
        {data.secret === undefined ? ENVIRONMENTS.makeSecret : ENVIRONMENTS.rotate}
      </button>
    </>
  );
  return (
    <>
      {made !== null && <SecretOnce title={ENVIRONMENTS.secretOf} secret={made} onSaved={() => setMade(null)} />}
      <Card title={ENVIRONMENTS.settings} actions={buttons}>
        {error !== undefined && <LoadFailed error={error} onRetry={reload} />}
        {data !== undefined && <SettingsFacts settings={data} />}
        {asked === 'change' && data !== undefined && (
          <ChangeSettings
            settings={data}
            onDone={() => {
              close();
              reload();
            }}
            onClose={close}
          />
        )}
        {asked === 'rotate' && (
          <RotateSecret
            id={id}
            hasOne={data?.secret !== undefined}
            onDone={(secret) => {
              close();
              setMade(secret);
              reload();
            }}
            onClose={close}
          />
        )}
      </Card>
    </>
  );
}

function SettingsFacts({ settings }: { settings: OriginSettings }) {
  const { hostHeader, sendExternalId, clientCertificate, caCertificate, secret } = settings;
  return (
    <dl class="facts">
      <Fact term={ENVIRONMENTS.hostHeader}>{ENVIRONMENTS.hosts[hostHeader] ?? hostHeader}</Fact>
      <Fact term={ENVIRONMENTS.secret}>
        {secret === undefined ? (
          ENVIRONMENTS.none_
        ) : (
          <>
            {ENVIRONMENTS.secretSince} <Ago at={secret.createdAt} />
            {secret.previousExpiresAt !== undefined && (
              <>
                {', '}
                {ENVIRONMENTS.secretOverlap} <Ago at={secret.previousExpiresAt} />
              </>
            )}
          </>
        )}
      </Fact>
      <Fact term={ENVIRONMENTS.externalId}>{sendExternalId ? ENVIRONMENTS.sent : ENVIRONMENTS.notSent}</Fact>
      <Fact term={ENVIRONMENTS.clientCertificate}>
        {clientCertificate === undefined ? ENVIRONMENTS.none_ : ENVIRONMENTS.given}
      </Fact>
      <Fact term={ENVIRONMENTS.ca}>{caCertificate === undefined ? ENVIRONMENTS.publicCas : ENVIRONMENTS.given}</Fact>
    </dl>
  );
}

interface ChangeSettingsProps {
  settings: OriginSettings;
  onDone: () => void;
  onClose: () => void;
}

function ChangeSettings({ settings, onDone, onClose }: ChangeSettingsProps) {
  const { environmentId } = settings;
  const [hostHeader, setHostHeader] = useState(settings.hostHeader);
  const [sendExternalId, setSendExternalId] = useState(settings.sendExternalId);
  return (
    <CallDialog
      title={ENVIRONMENTS.changeTitle}
      label={ENVIRONMENTS.change}
      call={{
        operation: 'environments.updateOriginSettings',
        input: { environment: environmentId, hostHeader, sendExternalId },
        command: [
          ...['origins', 'settings', '--environment', environmentId, '--host-header', hostHeader],
          sendExternalId ? '--send-external-id' : '--no-send-external-id',
        ],
      }}
      onDone={onDone}
      onClose={onClose}
    >
      <Field label={ENVIRONMENTS.hostField} hint={ENVIRONMENTS.hostHint}>
        {(control) => (
          <input
            {...control}
            required
            value={hostHeader}
            onInput={({ currentTarget }) => setHostHeader(currentTarget.value.trim())}
          />
        )}
      </Field>
      <label class="actions">
        <input
          type="checkbox"
          checked={sendExternalId}
          onChange={({ currentTarget }) => setSendExternalId(currentTarget.checked)}
        />
        {ENVIRONMENTS.sendExternalId}
      </label>
    </CallDialog>
  );
}

interface RotateSecretProps {
  id: string;
  hasOne: boolean;
  onDone: (secret: string) => void;
  onClose: () => void;
}

function RotateSecret({ id, hasOne, onDone, onClose }: RotateSecretProps) {
  const [overlap, setOverlap] = useState(USUAL_OVERLAP);
  const title = hasOne ? ENVIRONMENTS.rotate : ENVIRONMENTS.makeSecret;
  return (
    <CallDialog<{ secret: string }>
      title={title}
      label={title}
      call={{
        operation: 'environments.rotateOriginSecret',
        input: { environment: id, overlapSeconds: overlap.seconds },
        command: ['origins', 'rotate-secret', '--environment', id, '--overlap', overlap.command],
      }}
      onDone={({ secret }) => onDone(secret)}
      onClose={onClose}
    >
      <p>{ENVIRONMENTS.rotateText}</p>
      {hasOne && <OverlapField value={overlap} onChange={setOverlap} />}
    </CallDialog>
  );
}
