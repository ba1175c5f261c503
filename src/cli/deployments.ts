import type { Command } from 'commander';
import { connect } from './api-client.ts';
import { type ApiOptions, apiOptions, define, group } from './options.ts';
import { type Column, show, table, when } from './output.ts';
import { type Parent, type ParentOptions, parentOptions, parentsOf } from './tree-commands.ts';

interface Listed {
  id: string;
  origin: string;
  createdAt: number;
}

const COLUMNS: Column<Listed>[] = [
  { title: 'Id', text: ({ id }) => id },
  { title: 'Origin', text: ({ origin }) => origin },
  { title: 'Created', text: ({ createdAt }) => when(createdAt) },
];

const PARENTS: Parent[] = ['project', 'app', 'environment'];
const WHERE = '--project shop --app storefront --environment staging';

export function addDeployments(program: Command): void {
  const examples = [
    `nameplate deployments create http://10.0.0.5:8080 ${WHERE}`,
    `nameplate deployments list ${WHERE}`,
  ] as const;
  const deployments = group(program, 'deployments', 'Deployments: where the traffic of an environment goes.', [
    ...examples,
  ]);

  const create = define(deployments, 'create <origin>', "Make an origin the environment's current deployment.", [
    examples[0],
  ]);
  apiOptions(parentOptions(create, PARENTS)).action(async (origin: string, options: ApiOptions & ParentOptions) => {
    const server = await connect(options);
    const body = { ...parentsOf(server, options, PARENTS), origin };
    const { deploymentId } = await server.call<{ deploymentId: string }>('deployments.createDeployment', body);
    show(options, { id: deploymentId, ...body }, ({ id }) => `Deployed ${origin} (${id}).`);
  });

  const list = define(deployments, 'list', 'List deployments, oldest first; the last one takes the traffic.', [
    examples[1],
  ]);
  apiOptions(parentOptions(list, PARENTS)).action(async (options: ApiOptions & ParentOptions) => {
    const server = await connect(options);
    const found = await server.list<Listed>('deployments.listDeployments', parentsOf(server, options, PARENTS));
    show(options, found, (rows) => (rows.length === 0 ? 'No deployments yet.' : table(COLUMNS, rows)));
  });
}
