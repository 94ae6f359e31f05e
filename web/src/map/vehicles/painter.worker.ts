/** The worker that paints the fleet: a picture in, its bitmap out. */
import { Painter, type Picture } from './painter'

const painter = new Painter()

self.addEventListener('message', ({ data }: MessageEvent<Picture>) => {
  const bitmap = painter.paint(data)
  self.postMessage(bitmap, { transfer: [bitmap] })
})
