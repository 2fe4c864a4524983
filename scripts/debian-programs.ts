import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Programs that tests with the tag `debian` start and that come with neither Node nor the installed packages. */
const PROGRAMS = ['age', 'caddy', 'nginx', 'openssl', 'systemd-analyze'];

/** The programs that are not installed. `/usr/sbin` is searched too, because `PATH` may lack it. */
export function missingPrograms(): readonly string[] {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return PROGRAMS.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
}
