/**
 * Style sheets that did not come. Whoever imports a chunk asks for each of its sheets once only: a chunk that is asked
 * for again, or another that shares the sheet, would come without it.
 */
const failed = new Set<HTMLLinkElement>()

/** Notes from now on which sheets fail. */
export function watchStyles(): void {
  window.addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') failed.add(target)
    },
    // The event goes no further than its element.
    { capture: true },
  )
}

/** Asks again for what failed; rejects when one fails again. */
export async function mendStyles(): Promise<void> {
  const links = [...failed]
  failed.clear()
  await Promise.all(links.map(askAgain))
}

function askAgain(link: HTMLLinkElement): Promise<void> {
  const again = link.cloneNode() as HTMLLinkElement
  return new Promise((resolve, reject) => {
    again.addEventListener('load', () => resolve())
    again.addEventListener('error', () => reject(new Error(`no style sheet ${again.href}`)))
    link.replaceWith(again)
  })
}
