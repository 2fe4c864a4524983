type OrganizationField = 'name' | 'description' | 'supportEmail' | 'home' | 'logo';

/** `home` and `logo` are absolute URLs. */
export function organization(fields: Readonly<Record<OrganizationField, string>>): object {
  const { name, description, supportEmail, home, logo } = fields;
  return {
    '@context': 'https://schema.org',
    '@type': 'Organization',
    '@id': `${home}#organization`,
    name,
    description,
    url: home,
    logo,
    contactPoint: { '@type': 'ContactPoint', contactType: 'customer support', email: supportEmail },
  };
}

/** @param steps the pages from the home page to the current page, with absolute URLs */
export function breadcrumbs(steps: readonly { readonly title: string; readonly url: string }[]): object {
  return {
    '@context': 'https://schema.org',
    '@type': 'BreadcrumbList',
    itemListElement: steps.map(({ title, url }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name: title,
      item: url,
    })),
  };
}

/** @param questions questions with their answers as HTML */
export function questionPage(
  url: string,
  questions: readonly { readonly question: string; readonly answer: string }[],
): object {
  return {
    '@context': 'https://schema.org',
    '@type': 'FAQPage',
    '@id': url,
    mainEntity: questions.map(({ question, answer }) => ({
      '@type': 'Question',
      name: question,
      acceptedAnswer: { '@type': 'Answer', text: answer },
    })),
  };
}

/**
 * JSON for a `<script>` element. Escapes only text that could close the element, or start a comment or another script. Leaves
 * other tags exactly as in the page's HTML, because repeated text compresses better.
 */
export function scriptJson(data: object): string {
  return JSON.stringify(data).replaceAll(/<(?=!|\/?script)/gi, '\\u003c');
}
