import type { ListQuery } from '../record-port.ts';
import type { Condition } from './list-conditions.ts';

/** An SQL condition on an attempt `t` and its delivery `d`. */
type AttemptCondition = Condition<number>;

/** @throws {RangeError} when the list has no such filter or value. */
function filterCondition(name: string, value: string, newestSql: string): AttemptCondition {
  switch (`${name} ${value}`) {
    case 'method email':
      return ["d.channel = 'mail'"];
    case 'method telegram':
      return ["d.channel = 'telegram'"];
    case 'method push':
      return ["d.channel = 'push'"];
    case 'result success':
      return ["t.outcome = 'sent'"];
    case 'result failure':
      return ["t.outcome <> 'sent'"];
    case 'dead only':
      return [`d.state = 'dead' and ${newestSql}`];
    default:
      throw new RangeError(`The delivery log has no filter ${name} with the value ${value}.`);
  }
}

/**
 * The SQL conditions for the delivery log's filters and time range.
 * @param newestSql SQL condition: the attempt is the newest one of its delivery
 * @throws {RangeError} when the list has no such filter or value.
 */
export function attemptConditions(
  { filters, from, before }: ListQuery,
  newestSql: string,
): AttemptCondition[] {
  const conditions = Object.entries(filters).flatMap(([name, value]) =>
    value === undefined ? [] : [filterCondition(name, value, newestSql)],
  );
  if (from !== null) conditions.push(['t.at >= ?', from]);
  if (before !== null) conditions.push(['t.at < ?', before]);
  return conditions;
}
