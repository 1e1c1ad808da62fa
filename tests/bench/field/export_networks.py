# SPDX-License-Identifier: Apache-2.0
"""Networks of transformers and torchvision and some of PyTorch's own, each written to a path by a function."""
import numpy as np
import onnx
import onnxruntime
import torch
import torchvision
import transformers
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process

SMALL = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 200}


class Bert(torch.nn.Module):
    """torch.export wants the names of its inputs."""

    def __init__(self):
        super().__init__()
        self.bert = transformers.BertModel(transformers.BertConfig(**SMALL, attn_implementation="eager"))

    def forward(self, input_ids, attention_mask):
        return self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state


class Called(torch.nn.Module):
    """Calls a function of a module with tensors alone."""

    def __init__(self, module, call):
        super().__init__()
        self.module, self.call = module, call

    def forward(self, *tensors):
        return self.call(self.module, *tensors)


def export(path, module, example, names, axes, outputs=None, opset=17):
    torch.manual_seed(1)
    torch.onnx.export(module.eval(), example, str(path), input_names=names, output_names=outputs, dynamic_axes=axes,
                      dynamo=False, opset_version=opset)


def words(*shape):
    return torch.randint(0, 200, shape)


OPEN = {0: "batch", 1: "sequence"}


BERT = (words(2, 16), torch.ones(2, 16, dtype=torch.int64))


def bert_legacy(path):
    export(path, Bert(), BERT, ["input_ids", "attention_mask"], {"input_ids": OPEN, "attention_mask": OPEN, "y": OPEN}, ["y"])


def bert_dynamo(path):
    sizes = {0: torch.export.Dim("batch", max=8), 1: torch.export.Dim("sequence", max=256)}
    shapes = {"input_ids": sizes, "attention_mask": sizes}
    torch.onnx.export(Bert().eval(), BERT, dynamo=True, dynamic_shapes=shapes, output_names=["y"]).save(path)


def bert_fp16(path):
    from onnxconverter_common import float16
    bert_legacy(path)
    onnx.save(float16.convert_float_to_float16(onnx.load(path), keep_io_types=False), path)


def bert_dynq(path):
    bert_legacy(path)
    quantization.quantize_dynamic(path, path)


def optimised(path, level):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.optimized_model_filepath = str(path)
    onnxruntime.InferenceSession(path.read_bytes(), options, providers=["CPUExecutionProvider"])


def bert_ortopt(path):
    bert_legacy(path)
    optimised(path, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED)


def gpt2_past(path):
    module = transformers.GPT2LMHeadModel(transformers.GPT2Config(
        n_embd=64, n_layer=2, n_head=4, vocab_size=200, n_positions=256, attn_implementation="eager"))

    def call(gpt2, ids, mask, *past):
        cache = transformers.DynamicCache()
        for layer in range(2):
            cache.update(past[2 * layer], past[2 * layer + 1], layer)
        positions = torch.arange(past[0].shape[2], past[0].shape[2] + ids.shape[1]).unsqueeze(0)
        said = gpt2(input_ids=ids, attention_mask=mask, position_ids=positions, past_key_values=cache, use_cache=True)
        return (said.logits, *(each for layer in said.past_key_values.layers for each in (layer.keys, layer.values)))

    past = [f"past_key_values.{layer}.{kind}" for layer in range(2) for kind in ("key", "value")]
    present = [name.replace("past_key_values", "present") for name in past]
    axes = {"input_ids": OPEN, "attention_mask": {0: "batch", 1: "past_sequence + sequence"}, "logits": OPEN,
            **{name: {0: "batch", 2: "past_sequence"} for name in past},
            **{name: {0: "batch", 2: "past_sequence + sequence"} for name in present}}
    example = (words(2, 3), torch.ones(2, 8, dtype=torch.int64), *(torch.randn(2, 4, 5, 16) for _ in past))
    export(path, Called(module, call), example, ["input_ids", "attention_mask", *past], axes, ["logits", *present])


def whisper_encoder(path):
    module = transformers.WhisperModel(transformers.WhisperConfig(
        d_model=64, encoder_layers=2, decoder_layers=1, encoder_attention_heads=4, decoder_attention_heads=4,
        encoder_ffn_dim=128, decoder_ffn_dim=128, vocab_size=200, pad_token_id=0, bos_token_id=1, eos_token_id=2,
        decoder_start_token_id=1, max_source_positions=150, attn_implementation="eager")).encoder
    call = Called(module, lambda encoder, sound: encoder(sound).last_hidden_state)
    export(path, call, (torch.randn(2, 80, 300),), ["input_features"], {"input_features": {0: "batch"}, "y": {0: "batch"}}, ["y"])


def clip(path):
    text = {key: SMALL[key] for key in SMALL} | {"max_position_embeddings": 32, "bos_token_id": 0, "eos_token_id": 199}
    vision = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128,
              "image_size": 64, "patch_size": 16}
    module = transformers.CLIPModel(transformers.CLIPConfig(text_config=text, vision_config=vision, projection_dim=32,
                                                            attn_implementation="eager"))
    call = Called(module, lambda clip, ids, pixels, mask: clip(
        input_ids=ids, pixel_values=pixels, attention_mask=mask).logits_per_image)
    export(path, call, (words(2, 16), torch.randn(2, 3, 64, 64), torch.ones(2, 16, dtype=torch.int64)),
           ["input_ids", "pixel_values", "attention_mask"],
           {"input_ids": OPEN, "pixel_values": {0: "batch"}, "attention_mask": OPEN}, ["logits"])


def t5(path):
    module = transformers.T5Model(transformers.T5Config(
        d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, vocab_size=200, decoder_start_token_id=0))
    call = Called(module, lambda t5, ids, decoder: t5(
        input_ids=ids, decoder_input_ids=decoder, use_cache=False).last_hidden_state)
    export(path, call, (words(2, 16), words(2, 8)), ["input_ids", "decoder_input_ids"],
           {"input_ids": OPEN, "decoder_input_ids": {0: "batch", 1: "decoder_sequence"}}, ["y"])


def mamba(path):
    module = transformers.MambaModel(transformers.MambaConfig(
        hidden_size=64, num_hidden_layers=2, state_size=8, vocab_size=200))
    call = Called(module, lambda mamba, ids: mamba(ids, use_cache=False).last_hidden_state)
    export(path, call, (words(2, 12),), ["input_ids"], {"input_ids": {0: "batch"}}, ["y"])


def lstm_state(path):
    module = torch.nn.LSTM(32, 48, num_layers=2, batch_first=True)
    call = Called(module, lambda lstm, x, h, c: [*(said := lstm(x, (h, c)))[:1], *said[1]])
    export(path, call, (torch.randn(2, 10, 32), torch.zeros(2, 2, 48), torch.zeros(2, 2, 48)), ["x", "h0", "c0"],
           {"x": {0: "batch", 1: "time"}, "h0": {1: "batch"}, "c0": {1: "batch"}}, ["y", "h", "c"])


def stft(path):
    call = Called(torch.nn.Identity(), lambda _, x: torch.stft(
        x, 128, hop_length=64, window=torch.hann_window(128), return_complex=False, center=False).pow(2).sum(-1))
    export(path, call, (torch.randn(2, 1600),), ["signal"], {"signal": {0: "batch", 1: "samples"}}, ["y"])


def upsample_grid(path):
    def call(conv, x, grid):
        wide = torch.nn.functional.interpolate(conv(x), scale_factor=2, mode="bilinear", align_corners=False)
        return torch.nn.functional.grid_sample(wide, grid, align_corners=False)
    export(path, Called(torch.nn.Conv2d(3, 8, 3, padding=1), call), (torch.randn(2, 3, 16, 16), torch.rand(2, 20, 20, 2) - 0.5),
           ["x", "grid"], {"x": {0: "batch"}, "grid": {0: "batch"}}, ["y"])


def mobilenet(path):
    torch.manual_seed(0)
    export(path, torchvision.models.mobilenet_v3_small(weights=None), (torch.randn(2, 3, 96, 96),), ["image"],
           {"image": {0: "batch"}}, ["scores"])


class Images(quantization.CalibrationDataReader):
    def __init__(self):
        self.left = [{"image": np.random.default_rng(i).standard_normal((1, 3, 96, 96)).astype(np.float32)} for i in range(4)]

    def get_next(self):
        return self.left.pop() if self.left else None


def quantised(path, form):
    mobilenet(path)
    quant_pre_process(str(path), str(path))
    quantization.quantize_static(str(path), str(path), Images(), quant_format=form)


def mnv3_qdq(path):
    quantised(path, quantization.QuantFormat.QDQ)


def mnv3_qop(path):
    quantised(path, quantization.QuantFormat.QOperator)


def mnv3_ortopt_all(path):
    mobilenet(path)
    optimised(path, onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL)


def detector(path, module, outputs):
    call = Called(module, lambda net, image: tuple(net([image])[0].values()))
    export(path, call, (torch.rand(3, 160, 160),), ["image"], {}, outputs)


def ssdlite(path):
    detector(path, torchvision.models.detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None),
             ["boxes", "scores", "labels"])


def fasterrcnn(path):
    detector(path, torchvision.models.detection.fasterrcnn_mobilenet_v3_large_320_fpn(
        weights=None, weights_backbone=None, num_classes=5), ["boxes", "labels", "scores"])


def keypointrcnn(path):
    backbone = torchvision.models.mobilenet_v2(weights=None).features
    backbone.out_channels = 1280
    sizes = torchvision.models.detection.rpn.AnchorGenerator(((32, 64),), ((0.5, 1.0),))
    pool = torchvision.ops.MultiScaleRoIAlign(["0"], 7, 2)
    detector(path, torchvision.models.detection.KeypointRCNN(
        backbone, num_classes=2, num_keypoints=5, rpn_anchor_generator=sizes, box_roi_pool=pool,
        keypoint_roi_pool=torchvision.ops.MultiScaleRoIAlign(["0"], 14, 2), min_size=160, max_size=200,
        rpn_pre_nms_top_n_test=100, rpn_post_nms_top_n_test=50), ["boxes", "labels", "scores", "keypoints", "keypoint_scores"])


FIRST = (bert_legacy, bert_dynamo, bert_fp16, bert_dynq, bert_ortopt, gpt2_past, whisper_encoder, clip, t5, mamba, lstm_state,
         stft, upsample_grid, mnv3_qdq, mnv3_qop, mnv3_ortopt_all, ssdlite, fasterrcnn, keypointrcnn)


def of_transformers(path, module, ids=True):
    """A model of tokens, or of images of 64, whose first output is exported."""
    if ids:
        call = Called(module, lambda net, words: net(input_ids=words)[0])
        return export(path, call, (words(2, 16),), ["input_ids"], {"input_ids": OPEN, "y": OPEN}, ["y"])
    call = Called(module, lambda net, pixels: net(pixel_values=pixels)[0])
    return export(path, call, (torch.randn(2, 3, 64, 64),), ["pixel_values"], {"pixel_values": {0: "batch"}}, ["y"])


def distilbert(path):
    of_transformers(path, transformers.DistilBertModel(transformers.DistilBertConfig(
        dim=64, hidden_dim=128, n_layers=2, n_heads=4, vocab_size=200, attn_implementation="eager")))


def albert(path):
    of_transformers(path, transformers.AlbertModel(transformers.AlbertConfig(
        **SMALL, embedding_size=32, attn_implementation="eager")))


def electra(path):
    of_transformers(path, transformers.ElectraModel(transformers.ElectraConfig(
        **SMALL, embedding_size=32, attn_implementation="eager")))


def vit(path):
    of_transformers(path, transformers.ViTModel(transformers.ViTConfig(
        hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, image_size=64,
        attn_implementation="eager")), ids=False)


def segformer(path):
    of_transformers(path, transformers.SegformerForSemanticSegmentation(transformers.SegformerConfig(
        hidden_sizes=[16, 32, 48, 64], decoder_hidden_size=32, num_labels=4)), ids=False)


def of_torchvision(path, name):
    torch.manual_seed(0)
    module = torchvision.models.get_model(name, weights=None)
    export(path, module, (torch.randn(2, 3, 96, 96),), ["image"], {"image": {0: "batch"}}, ["scores"])


def shufflenet(path):
    of_torchvision(path, "shufflenet_v2_x0_5")


def mnasnet(path):
    of_torchvision(path, "mnasnet0_5")


def resnet_fp16(path):
    from onnxconverter_common import float16
    of_torchvision(path, "resnet18")
    onnx.save(float16.convert_float_to_float16(onnx.load(path), keep_io_types=True), path)


def gru_state(path):
    call = Called(torch.nn.GRU(24, 32, batch_first=True, bidirectional=True), lambda gru, x, h: gru(x, h))
    export(path, call, (torch.randn(2, 10, 24), torch.zeros(2, 2, 32)), ["x", "h0"],
           {"x": {0: "batch", 1: "time"}, "h0": {1: "batch"}}, ["y", "h"])


def lstm_dynq(path):
    lstm_state(path)
    quantization.quantize_dynamic(path, path)


def unet1d(path):
    net = torch.nn.Sequential(torch.nn.Conv1d(1, 8, 5, stride=2, padding=2), torch.nn.ReLU(), torch.nn.GroupNorm(2, 8),
                              torch.nn.ConvTranspose1d(8, 1, 4, stride=2, padding=1), torch.nn.Tanh())
    export(path, net, (torch.randn(2, 1, 1600),), ["wave"], {"wave": {0: "batch", 2: "samples"}}, ["y"])


def topk_scatter(path):
    def call(linear, x):
        values, places = torch.topk(linear(x), 5)
        return torch.zeros(x.shape[0], 20).scatter(1, places, values), places
    export(path, Called(torch.nn.Linear(16, 20), call), (torch.randn(2, 16),), ["x"], {"x": {0: "batch"}}, ["y", "places"])


SECOND = (distilbert, albert, electra, vit, segformer, shufflenet, mnasnet, resnet_fp16, gru_state, lstm_dynq, unet1d,
          topk_scatter)
