/** Puts `text` into the clipboard; throws when the browser does not let us. */
export async function copyText(text: string): Promise<void> {
  // The clipboard API exists in secure contexts only; a plain http address has to do it the old way.
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  const focused = document.activeElement
  field.value = text
  field.style.position = 'fixed'
  field.style.opacity = '0'
  // Within an open dialog, whose focus trap would take the focus back.
  const home = focused?.closest('[role="dialog"]') ?? document.body
  home.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (focused instanceof HTMLElement) focused.focus()
  if (!copied) throw new Error('not copied')
}
