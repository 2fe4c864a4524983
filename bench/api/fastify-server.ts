import fastify from 'fastify';
import { answerReader } from './answers-file.ts';
import { serveMeasured } from './measured-server.ts';

// A peer of the measurement: Fastify as its guide sets it up, with a look-up in SQLite for each request.
const [file = '', ...paths] = process.argv.slice(2);
const read = answerReader(file);
const app = fastify();
for (const path of paths) {
  app.get(path, (_request, reply) => {
    reply.type('application/json; charset=utf-8').send(read(path));
  });
}
await app.ready();
await serveMeasured(app.server);
