import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../data/config/environment.ts';
import packageJson from '../package.json' with { type: 'json' };

const readme = await readFile('README.md', 'utf8');
const PROGRAMS = ['api', 'data', 'indexer', 'site'];
const TOGETHER = ['bench', 'content', 'e2e', 'scripts'];

async function roomsOf(program: string): Promise<string[]> {
  const entries = await readdir(program, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => `${program}/${entry.name}`);
}

const rooms = [...TOGETHER, ...(await Promise.all(PROGRAMS.map(roomsOf))).flat()].filter(
  (room) => room !== 'data/var' && !room.endsWith('/testing'),
);

describe('the README', () => {
  it('names no path that is not there', () => {
    const paths = [
      ...readme.matchAll(/`((?:api|bench|content|data|docs|e2e|indexer|scripts|site)\/[\w./-]*)`/g),
    ];
    const missing = paths
      .map(([, path = '']) => path)
      .filter((path) => path !== 'data/var' && !existsSync(path));
    expect(paths.length).toBeGreaterThan(20);
    expect(missing).toEqual([]);
  });

  it('leads through every room of the house', () => {
    const unnamed = rooms.filter((room) => !readme.includes(`\`${room}/\``));
    expect(unnamed).toEqual([]);
  });

  it('names no command that package.json does not have', () => {
    const commands = [...readme.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(commands.filter((name) => !(name in packageJson.scripts))).toEqual([]);
  });

  it('and .env.example name every variable that the configuration reads', async () => {
    const example = await readFile('.env.example', 'utf8');
    expect(VARIABLES.filter((name) => !readme.includes(name))).toEqual([]);
    expect(VARIABLES.filter((name) => !example.includes(`#${name}=`))).toEqual([]);
  });
});
