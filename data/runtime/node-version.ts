import { EXIT } from './exit-codes.ts';

const NEEDED_MAJOR = 24;

// On an older Node, better-sqlite3 crashes without a message, so each program imports this file first.
const major = Number(process.versions.node.split('.')[0]);
if (major < NEEDED_MAJOR) {
  process.stderr.write(
    `This program needs Node ${NEEDED_MAJOR} or newer, but was started with ${process.versions.node}. ` +
      'Start it through npm (npm start, npm run …), which uses the right version.\n',
  );
  process.exit(EXIT.configuration);
}
