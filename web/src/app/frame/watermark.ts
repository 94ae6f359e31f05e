/** The words of the watermark: the title without 运营平台, then the login phone from its fifth character on. */
export function watermarkText(title: string, phone: string): string {
  const name = title.replaceAll('运营平台', '').trim()
  return title.trim() === '' || phone === '' ? '请勿外传' : `${name}${phone.slice(4)}`
}

/** One tile as a data URL: 400×300, turned 30° against the clock. Empty when the browser draws no canvas. */
export function watermarkTile(text: string, fontFamily: string): string {
  const canvas = document.createElement('canvas')
  canvas.width = 400
  canvas.height = 300
  const pen = canvas.getContext('2d')
  if (!pen) return ''
  pen.translate(200, 150)
  pen.rotate((-30 * Math.PI) / 180)
  pen.font = `18px ${fontFamily}`
  pen.fillStyle = 'rgba(120, 132, 150, 0.13)'
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  pen.fillText(text, 0, 0, 360)
  return canvas.toDataURL('image/png')
}
