import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { VARIABLES } from '../data/config/environment.ts';
import packageJson from '../package.json' with { type: 'json' };

const readme = await readFile('README.md', 'utf8');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
}).split('\n');

/** Folders that hold source, two levels deep where the first level is a program or the common ground. */
const rooms = new Set(
  tracked
    .map((file) => /^(?:(?:api|data|indexer|site)\/[^/.]+|bench|content|e2e|scripts)(?=\/)/.exec(file)?.[0])
    .filter((room) => room !== undefined),
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
    const unnamed = [...rooms].filter((room) => !readme.includes(`\`${room}/\``));
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
