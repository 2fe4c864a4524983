import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' };

interface Country {
  /** ISO 3166-1 alpha-2. */
  readonly code: string;
  readonly name: string;
}

/** The ISO 3166-1 codes of territories. Residents of a territory choose the state that it belongs to. */
const TERRITORIES = new Set(
  (
    'AI AQ AS AW AX BL BM BQ BV CC CK CW CX EH FK FO GF GG GI GL GP GS GU HM IM IO JE KY MF MP MQ MS NC NF NU PF PM PN ' +
    'PR RE SH SJ SX TC TF TK UM VG VI WF YT'
  ).split(' '),
);
/** Countries for which the library's second English name is more common than its first. */
const SHORT_NAME_CODES = new Set('CI CN CZ GM IR MK PS RU TW TZ US'.split(' '));

function commonName(code: string, names: string | readonly string[]): string {
  if (typeof names === 'string') return names;
  return names[SHORT_NAME_CODES.has(code) ? 1 : 0] ?? code;
}

export const COUNTRIES: readonly Country[] = Object.entries<string | readonly string[]>(english.countries)
  .filter(([code]) => !TERRITORIES.has(code))
  .map(([code, names]) => ({ code, name: commonName(code, names) }))
  .sort((one, other) => one.name.localeCompare(other.name, 'en'));

const NAME_BY_CODE: ReadonlyMap<string, string> = new Map(COUNTRIES.map(({ code, name }) => [code, name]));

export function countryName(code: string): string {
  return NAME_BY_CODE.get(code) ?? code;
}

export function isCountry(code: string): boolean {
  return NAME_BY_CODE.has(code);
}
