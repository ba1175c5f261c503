import { useState } from 'preact/hooks';
import type { SetupLink } from '../../client/client.ts';
import { CopyButton } from '../copy-button.tsx';
import { Code } from '../inline.tsx';
import { ActionButton } from './action-button.tsx';
import { Button } from './button.tsx';
import { CallDialog } from './call-dialog.tsx';
import { mayDo, useDashboard } from './context.ts';
import { SelectField } from './fields.tsx';
import { useLoad } from './load.ts';
import { LoadState } from './load-failed.tsx';
import { Badge, Card, Table } from './parts.tsx';
import { TEXT } from './text.ts';
import { Ago } from './time.tsx';
import { useToast } from './toast.tsx';

type Purpose = 'setup' | 'support';

/** The links that open this domain without an account. */
export function LinksCard({ domain, name }: { domain: string; name: string }) {
  const { person } = useDashboard();
  return mayDo(person, 'environment', 'create_setup_link') ? <Links domain={domain} name={name} /> : null;
}

function Links({ domain, name }: { domain: string; name: string }) {
  const { client } = useDashboard();
  const [making, setMaking] = useState<Purpose | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const links = useLoad(domain, (signal) => client.domains.listSetupLinks({ domain }, { signal }));
  const { data, reload } = links;
  const button = (purpose: Purpose) => (
    <Button isSmall onClick={() => setMaking(purpose)}>
      {TEXT.domain.links[purpose]}
    </Button>
  );
  return (
    <Card title={TEXT.domain.links.title} actions={[button('setup'), button('support')]}>
      <LoadState {...links} />
      {made !== null && (
        <div class="made">
          <p>{TEXT.domain.links.once}</p>
          <p class="bar">
            <Code text={made} />
            <CopyButton text={made} what={TEXT.domain.links.copyWhat} />
          </p>
        </div>
      )}
      {data?.items.length === 0 && <p class="note">{TEXT.domain.links.none}</p>}
      {data && data.items.length > 0 && (
        <Table label={TEXT.domain.links.list} columns={TEXT.domain.links.columns}>
          {data.items.toReversed().map((link) => (
            <Row key={link.id} link={link} onChange={reload} />
          ))}
        </Table>
      )}
      {making !== null && (
        <MakeLink
          domain={domain}
          name={name}
          purpose={making}
          onClose={() => setMaking(null)}
          onMade={(url) => {
            setMade(url);
            reload();
          }}
        />
      )}
    </Card>
  );
}

function Row({ link, onChange }: { link: SetupLink; onChange: () => void }) {
  const { client } = useDashboard();
  const toast = useToast();
  const { id: linkId, purpose, createdAt, createdBy, expiresAt, revokedAt } = link;
  const works = revokedAt === undefined && expiresAt > Date.now();
  const revoke = async () => {
    await client.domains.revokeSetupLink({ linkId });
    toast({ text: TEXT.domain.links.revokedNow });
    onChange();
  };
  return (
    <tr>
      <th scope="row">{TEXT.domain.links.purposes[purpose as Purpose] ?? purpose}</th>
      <td>
        <Badge tone={works ? 'good' : 'quiet'}>
          {works
            ? TEXT.domain.links.works
            : revokedAt === undefined
              ? TEXT.domain.links.expired
              : TEXT.domain.links.revoked}
        </Badge>{' '}
        <Ago at={revokedAt ?? expiresAt} />
      </td>
      <td>
        <Ago at={createdAt} /> {createdBy !== undefined && <bdi>{createdBy}</bdi>}
      </td>
      <td>
        {works && (
          <ActionButton isSmall run={revoke}>
            {TEXT.domain.links.revoke}
          </ActionButton>
        )}
      </td>
    </tr>
  );
}

interface MakeLinkProps {
  domain: string;
  name: string;
  purpose: Purpose;
  onClose(): void;
  onMade(url: string): void;
}

function MakeLink({ domain, name, purpose, onClose, onMade }: MakeLinkProps) {
  const isSupport = purpose === 'support';
  const [life, setLife] = useState(isSupport ? 86_400 : 604_800);
  const expires = life < 86_400 ? `${life / 3600}h` : `${life / 86_400}d`;
  return (
    <CallDialog<{ url: string }>
      title={isSupport ? TEXT.domain.links.supportTitle : TEXT.domain.links.setupTitle}
      text={isSupport ? TEXT.domain.links.supportText : TEXT.domain.links.setupText}
      label={TEXT.domain.links.do}
      call={{
        operation: 'domains.createSetupLink',
        input: { domain, ...(isSupport && { purpose }), expiresInSeconds: life },
        command: ['domains', 'setup-link', name, ...(isSupport ? ['--support'] : []), '--expires', expires],
      }}
      onClose={onClose}
      onDone={({ url }) => onMade(url)}
    >
      <SelectField
        label={TEXT.domain.links.life}
        options={Object.entries(TEXT.domain.links.lives)}
        value={life}
        onChange={(seconds) => setLife(Number(seconds))}
      />
    </CallDialog>
  );
}
