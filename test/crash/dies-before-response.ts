import { ServerResponse } from 'node:http';

// Node loads this before the server: it dies at the moment at which it would send the response of a deployment, when
// all that it wrote is committed.

const { writeHead } = ServerResponse.prototype;
Object.assign(ServerResponse.prototype, {
  writeHead(this: ServerResponse, ...args: Parameters<typeof writeHead>) {
    if (this.req.url === '/v2/deployments.createDeployment') process.kill(process.pid, 'SIGKILL');
    return writeHead.apply(this, args);
  },
});
