import { useState } from 'preact/hooks';
import type { Environment, OriginSettings } from '../../client/client.ts';
import { Code } from '../inline.tsx';
import { Button } from './button.tsx';
import { CallDialog } from './call-dialog.tsx';
import { mayDo, useDashboard } from './context.ts';
import { TextField, Tick } from './fields.tsx';
import { listAll } from './list-all.ts';
import { useLoad } from './load.ts';
import { isMissing, LoadState } from './load-failed.tsx';
import { usePageTitle } from './page-title.ts';
import { Badge, Card, fact, Table } from './parts.tsx';
import { hrefOf, Link } from './route.tsx';
import { RotateDialog, SecretOnce } from './secret-parts.tsx';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';

/** One environment: its deployments, and how its origins are asked. */
export function EnvironmentPage({ id }: { id: string }) {
  const { client, person } = useDashboard();
  const loaded = useLoad(id, (signal) => client.environments.getEnvironment({ environment: id }, { signal }));
  const { data, error, reload } = loaded;
  usePageTitle(data?.slug ?? TEXT.pages.environments);
  if (data === undefined || isMissing(error)) return <LoadState {...loaded} missing={TEXT.environments.missing} />;
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
  const list = useLoad(`${id} ${currentDeploymentId}`, (signal) =>
    listAll(client.deployments.listDeployments, { environment: id }, signal),
  );
  const { data } = list;
  const deployButton = mayDo(person, 'environment', 'create_deployment') && (
    <Button kind="main" isSmall onClick={() => setAsked(true)}>
      {TEXT.environments.deploy}
    </Button>
  );
  return (
    <Card title={TEXT.environments.deployments} actions={deployButton}>
      <LoadState {...list} />
      {data?.length === 0 && <p class="note">{TEXT.environments.noDeployments}</p>}
      {data !== undefined && data.length > 0 && (
        <Table label={TEXT.environments.deployments} columns={TEXT.environments.deploymentColumns}>
          {data.toReversed().map((deployment) => (
            <tr key={deployment.id}>
              <th scope="row">
                <Code text={deployment.origin} />{' '}
                {deployment.id === currentDeploymentId && <Badge tone="good">{TEXT.environments.current}</Badge>}
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
          title={TEXT.environments.deployTitle(slug)}
          label={TEXT.environments.deploy}
          call={{
            operation: 'deployments.createDeployment',
            input: { environment: id, origin },
            command: ['deployments', 'create', origin, '--environment', id],
          }}
          onDone={() => {
            setOrigin('');
            onChange();
          }}
          onClose={() => setAsked(false)}
        >
          <TextField
            label={TEXT.environments.origin}
            hint={TEXT.environments.originHint}
            type="url"
            required
            value={origin}
            onChange={(typed) => setOrigin(typed.trim())}
          />
        </CallDialog>
      )}
    </Card>
  );
}

function Settings({ environment: { id } }: { environment: Environment }) {
  const { client, person } = useDashboard();
  const [asked, setAsked] = useState<'change' | 'rotate' | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const loaded = useLoad(id, (signal) => client.environments.getOriginSettings({ environment: id }, { signal }));
  const { data, reload } = loaded;
  const onClose = () => setAsked(null);
  const secretButton = data?.secret === undefined ? TEXT.environments.makeSecret : TEXT.environments.rotate;
  const buttons = data !== undefined && mayDo(person, 'environment', 'update_origin_settings') && (
    <>
      <Button isSmall onClick={() => setAsked('change')}>
        {TEXT.environments.change}
      </Button>
      <Button isSmall onClick={() => setAsked('rotate')}>
        {secretButton}
      </Button>
    </>
  );
  return (
    <>
      {made !== null && <SecretOnce title={TEXT.environments.secretOf} secret={made} onSaved={() => setMade(null)} />}
      <Card title={TEXT.environments.settings} actions={buttons}>
        <LoadState {...loaded} />
        {data !== undefined && <SettingsFacts settings={data} />}
        {asked === 'change' && data !== undefined && (
          <ChangeSettings settings={data} onDone={reload} onClose={onClose} />
        )}
        {asked === 'rotate' && (
          <RotateDialog<{ secret: string }>
            title={secretButton}
            text={TEXT.environments.rotateText}
            call={{
              operation: 'environments.rotateOriginSecret',
              input: { environment: id },
              command: ['origins', 'rotate-secret', '--environment', id],
            }}
            hasOne={data?.secret !== undefined}
            onDone={({ secret }) => {
              setMade(secret);
              reload();
            }}
            onClose={onClose}
          />
        )}
      </Card>
    </>
  );
}

function SettingsFacts({ settings }: { settings: OriginSettings }) {
  const { hostHeader, sendExternalId, clientCertificate, caCertificate, secret } = settings;
  const texts = TEXT.environments;
  return (
    <dl class="facts">
      {fact(
        texts.hostHeader,
        Object.hasOwn(texts.hosts, hostHeader) ? texts.hosts[hostHeader as 'visitor'] : hostHeader,
      )}
      {secret === undefined ? fact(texts.secret, texts.none_) : fact(texts.secretSince, <Ago at={secret.createdAt} />)}
      {fact(texts.secretOverlap, secret?.previousExpiresAt !== undefined && <Ago at={secret.previousExpiresAt} />)}
      {fact(texts.externalId, sendExternalId ? texts.sent : texts.notSent)}
      {fact(texts.clientCertificate, clientCertificate === undefined ? texts.none_ : texts.given)}
      {fact(texts.ca, caCertificate === undefined ? texts.publicCas : texts.given)}
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
      title={TEXT.environments.changeTitle}
      label={TEXT.environments.change}
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
      <TextField
        label={TEXT.environments.hostField}
        hint={TEXT.environments.hostHint}
        required
        value={hostHeader}
        onChange={(typed) => setHostHeader(typed.trim())}
      />
      <Tick label={TEXT.environments.sendExternalId} isOn={sendExternalId} onChange={setSendExternalId} />
    </CallDialog>
  );
}
