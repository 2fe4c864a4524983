import { createServer } from 'node:http';
import { serveMeasured } from './measured-server.ts';

// The peer of the measurement: node:http and nothing else. Body and headers come from the parent, as JSON.
const { body, headers }: { body: string; headers: string[] } = JSON.parse(process.argv[2] ?? '{}');

await serveMeasured(
  createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  }),
);
