import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The programs that tests with the tag `debian` start, and that Node does not include. */
const PROGRAMS = ['age', 'caddy', 'nginx', 'openssl', 'systemd-analyze'];

/** The programs that are not installed. A path may lack the folders for administrators. */
export function missingPrograms(path = process.env.PATH ?? ''): readonly string[] {
  const folders = [...path.split(delimiter), '/usr/sbin'];
  return PROGRAMS.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
}
