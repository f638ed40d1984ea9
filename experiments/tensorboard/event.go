package tensorboard

import (
	"encoding/binary"
	"math"
)

// The fields of TensorFlow's protocol buffers that a file of scalars and texts
// needs: event.proto, summary.proto, tensor.proto.
const (
	eventWallTime, eventStep, eventVersion, eventSummary = 1, 2, 3, 5
	summaryValue                                         = 1
	valueTag, valueSimple, valueTensor, valueMetadata    = 1, 2, 8, 9
	metadataPlugin, metadataClass                        = 1, 4
	pluginName                                           = 1
	tensorType, tensorShape, tensorString                = 1, 2, 8

	typeString  = 7 // DT_STRING
	classTensor = 2 // DATA_CLASS_TENSOR: what the text plugin reads
)

// The wire types of protocol buffers.
const varint, fixed64, delimited, fixed32 = 0, 1, 2, 5

func key(b []byte, field, wire uint64) []byte { return binary.AppendUvarint(b, field<<3|wire) }

func number(b []byte, field uint64, v int64) []byte {
	return binary.AppendUvarint(key(b, field, varint), uint64(v))
}

func bytes(b []byte, field uint64, v []byte) []byte {
	b = binary.AppendUvarint(key(b, field, delimited), uint64(len(v)))
	return append(b, v...)
}

// event is the begin of an Event: a time is always written, step 0 is the default.
func event(seconds float64, step int64) []byte {
	b := binary.LittleEndian.AppendUint64(key(nil, eventWallTime, fixed64), math.Float64bits(seconds))
	if step != 0 {
		b = number(b, eventStep, step)
	}
	return b
}

// version is the Event that a file begins with.
func version() []byte { return bytes(event(0, 0), eventVersion, []byte("brain.Event:2")) }

// scalar is one value of a curve. The format has single precision.
func scalar(tag string, step int64, seconds, value float64) []byte {
	v := bytes(nil, valueTag, []byte(tag))
	v = binary.LittleEndian.AppendUint32(key(v, valueSimple, fixed32), math.Float32bits(float32(value)))
	return bytes(event(seconds, step), eventSummary, bytes(nil, summaryValue, v))
}

// text is Markdown for the text plugin: a tensor of one string and no dimension.
func text(tag, markdown string) []byte {
	tensor := bytes(number(nil, tensorType, typeString), tensorShape, nil)
	tensor = bytes(tensor, tensorString, []byte(markdown))
	metadata := bytes(nil, metadataPlugin, bytes(nil, pluginName, []byte("text")))
	metadata = number(metadata, metadataClass, classTensor)
	v := bytes(bytes(nil, valueTag, []byte(tag)), valueTensor, tensor)
	v = bytes(v, valueMetadata, metadata)
	return bytes(event(0, 0), eventSummary, bytes(nil, summaryValue, v))
}
