import { writeFileSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';
import type { Failure, Tally } from './test-report.ts';

/** Names the file that the tally is written to. */
export const TALLY_FILE = 'TEST_TALLY_FILE';

function told({ name = 'Error', message, diff, stack = '' }: SerializedError): string {
  const places = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return [`${name}: ${message}`, ...(typeof diff === 'string' ? [diff] : []), ...places].join('\n');
}

/** The failed tests of a file, and what failed in it outside them: its loading, or the set-up of a group. */
function failuresOf(module: TestModule): Failure[] {
  const file = module.relativeModuleId;
  const failure = (names: readonly string[], errors: readonly SerializedError[]): Failure => ({
    name: [file, ...names].join(' › '),
    error: errors.map(told).join('\n'),
  });
  const outside = [module, ...module.children.allSuites()].flatMap((part) => {
    const errors = part.errors();
    return errors.length === 0 ? [] : [failure(part.type === 'suite' ? [part.fullName] : [], errors)];
  });
  const tests = [...module.children.allTests('failed')].map((test) =>
    failure([test.fullName], test.result().errors ?? []),
  );
  // The process of a file that did not end has died, with all that it would have told.
  const hasDied = module.state() === 'pending' || module.state() === 'queued';
  return [...outside, ...tests, ...(hasDied ? [{ name: file, error: 'did not come to its end' }] : [])];
}

/** Keeps the tally of a run, with errors outside any test too, which Vitest's own JSON leaves out. */
export default class FailuresReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const tally: Tally = {
      passed: modules.reduce((sum, module) => sum + [...module.children.allTests('passed')].length, 0),
      failures: [
        ...modules.flatMap(failuresOf),
        ...unhandled.map((error) => ({ name: 'outside any test', error: told(error) })),
      ],
    };
    const file = process.env[TALLY_FILE];
    if (file !== undefined) writeFileSync(file, JSON.stringify(tally));
  }
}
