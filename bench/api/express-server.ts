import { createServer } from 'node:http';
import express from 'express';
import { answerReader } from './answers-file.ts';
import { serveMeasured } from './measured-server.ts';

// A peer of the measurement: Express as its guide sets it up, with a look-up in SQLite for each request.
const [file = '', ...paths] = process.argv.slice(2);
const read = answerReader(file);
const app = express();
for (const path of paths) {
  app.get(path, (_request, response) => {
    response.type('json').send(read(path));
  });
}
await serveMeasured(createServer(app));
